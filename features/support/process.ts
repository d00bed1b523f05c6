import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Bounds are those of a machine that has nothing else to do. One that is shared gets so many times that: who waits longer has
 * lost nothing but time, and only where something fails. Where failing is the point, SVC_TEST_PATIENCE says less.
 */
const MOST_PATIENCE = 4;
const PATIENCE = Number(process.env.SVC_TEST_PATIENCE ?? MOST_PATIENCE);

export interface Finished {
  exit: number;
  stdout: string;
  stderr: string;
}

/** Runs a program to its end. Bounded: a program that hangs is killed and fails the step. */
export async function runToEnd(
  command: string,
  args: readonly string[],
  options: { env: Record<string, string>; cwd: string; stdin?: string; bound_ms?: number },
): Promise<Finished> {
  const child = spawn(command, args, { env: options.env, cwd: options.cwd, stdio: 'pipe' });
  const text = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text.stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text.stderr += chunk));
  child.stdin.on('error', () => undefined); // It may exit without reading.
  child.stdin.end(options.stdin ?? '');
  const bound = options.bound_ms ?? 60_000 * PATIENCE;
  const killer = setTimeout(() => child.kill('SIGKILL'), bound);
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  clearTimeout(killer);
  if (signal === 'SIGKILL')
    throw new Error(`${command} ${args.join(' ')} did not end within ${bound} ms\n${text.stderr}`);
  return { exit: code ?? 128, ...text };
}

/** A long-running program of ours: started, watched, stopped. */
export class Service {
  readonly child: ChildProcess;
  #log = '';
  readonly #ended: Promise<unknown>;

  constructor(command: string, args: readonly string[], options: { env: Record<string, string>; cwd: string }) {
    this.child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    const keep = (chunk: Buffer) => {
      this.#log = (this.#log + chunk.toString('utf8')).slice(-200_000);
    };
    this.child.stdout?.on('data', keep);
    this.child.stderr?.on('data', keep);
    this.#ended = once(this.child, 'close');
  }

  get log(): string {
    return this.#log;
  }

  get running(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Resolves with the match once the program has written it; rejects when it ends before. */
  async says(pattern: RegExp, bound_ms = 30_000): Promise<RegExpExecArray> {
    const probe = async () => {
      const match = pattern.exec(this.#log);
      if (match) return match;
      if (!this.running)
        throw new Error(`it ended with ${this.child.exitCode ?? this.child.signalCode}:\n${this.#log}`);
      return undefined;
    };
    return until(`"${pattern.source}" from pid ${this.child.pid}`, bound_ms, probe, MOST_PATIENCE);
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    if (this.running) this.child.kill(signal);
    if (signal !== 'SIGSTOP' && signal !== 'SIGCONT') await this.#ended;
  }
}

/** Waits until `probe` answers something; every failure names what was waited for. */
export async function until<T>(
  what: string,
  bound_ms: number,
  probe: () => Promise<T | undefined>,
  patience = PATIENCE,
): Promise<T> {
  const end = Date.now() + bound_ms * patience;
  for (let pause = 10; ; pause = Math.min(pause * 1.5, 250)) {
    const found = await probe();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(`waited ${bound_ms * patience} ms for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
