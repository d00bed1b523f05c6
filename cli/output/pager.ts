import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';

/** What a pager may use. */
export interface PagerOptions {
  stdout: Pick<NodeJS.WriteStream, 'isTTY' | 'rows'>;
  env: Readonly<Record<string, string | undefined>>;
  /** Prints the text when it fits on the screen or no pager can show it. */
  print(text: string): void;
}

/** The rows of a terminal that does not report its own. */
const ROWS = 24;
/** `less` then ends when the text fits, shows colours and leaves the text on the screen, as with git. */
const LESS = 'FRX';
/** The codes of a shell that cannot find or start a program. */
const NOT_STARTED = new Set([126, 127]);
/** The signals that end svc while its pager runs. Ctrl-C is not one of them: the pager receives it too and stays. */
const END_SIGNALS = ['SIGTERM', 'SIGHUP'] as const;

/**
 * Shows a text that is longer than the terminal through a pager: `SVC_PAGER`, `PAGER` or `less`. Without a terminal, with an
 * empty pager or with `cat`, prints it. Ends when the pager has ended, whose exit code does not count.
 */
export async function showInPager(text: string, { stdout, env, print }: PagerOptions): Promise<void> {
  const chosen = env.SVC_PAGER ?? env.PAGER;
  const is_long = text.split('\n').length > (stdout.rows || ROWS);
  if (!stdout.isTTY || !is_long || chosen === '' || chosen === 'cat') return print(text);
  const child_env = { ...env, LESS: env.LESS ?? LESS };
  const stdio = ['pipe', 'inherit', 'inherit'] as const;
  const [program, ...args] = chosen === undefined ? ['less'] : ['/bin/sh', '-c', chosen];
  if (!(await waitForPager(text, spawn(program!, args, { env: child_env, stdio: [...stdio] })))) print(text);
}

/** Writes a text to a pager and waits for its end. Returns false if there is no such program. */
async function waitForPager(text: string, pager: ChildProcess): Promise<boolean> {
  const ignore = () => undefined;
  const endWith = (signal: NodeJS.Signals) => {
    pager.kill(signal);
    process.exitCode = 128 + constants.signals[signal];
  };
  process.on('SIGINT', ignore);
  for (const signal of END_SIGNALS) process.on(signal, endWith);
  try {
    return await new Promise<boolean>((resolve, reject) => {
      // It could not be started, for whatever reason. Without free file descriptors it has no standard input either.
      pager.once('error', () => resolve(false));
      pager.once('close', (code) => resolve(!NOT_STARTED.has(code ?? 0)));
      pager.stdin?.on('error', (error: NodeJS.ErrnoException) => {
        // A reader who has read enough quits before the end of the text.
        if (error.code !== 'EPIPE') reject(error);
      });
      pager.stdin?.end(text);
    });
  } finally {
    process.off('SIGINT', ignore);
    for (const signal of END_SIGNALS) process.off(signal, endWith);
  }
}
