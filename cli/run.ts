import type { Command, Invocation } from './command.ts';
import { CliError, Exit } from './errors.ts';
import { outputOf, placeOf } from './flags.ts';
import type { Output } from './output/output.ts';
import { wholeRunIds } from './run-ids.ts';

/** Runs one command line and sets the process's exit code. Never throws. */
export async function main(argv: readonly string[]): Promise<void> {
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-v')) {
    const { version } = await import('./version.ts');
    process.stdout.write(`${version()}\n`);
    return;
  }
  if (argv[0] === '__complete') {
    const { complete } = await import('./completion/complete.ts');
    const words = await complete(argv.slice(1), process.env);
    // A shell waits: a server that still may answer is not waited for.
    process.stdout.write(words, () => process.exit(Exit.ok));
    return;
  }
  const [{ Output: Written }, { findCommand }, { parse }, { loadCommands, loadVerbs }] = await Promise.all([
    import('./output/output.ts'),
    import('./find.ts'),
    import('./parse.ts'),
    import('./tables.ts'),
  ]);
  const colour = !process.env.NO_COLOR;
  let output: Output = new Written(process, { json: argv.includes('--json'), colour });
  const release = failUnlessDone(argv, () => output);
  try {
    const warn = ({ message, code, next }: CliError) => output.note(`svc: ${message} (${code})\n  → ${next}`);
    const commands = await loadCommands(process.env, warn);
    const verbs = () => loadVerbs(process.env, warn);
    const found = await findCommand(argv, commands, verbs);
    if ('help' in found) {
      output.write(found.help);
      return;
    }
    const { args, words, flags } = parse(found.command, found.rest);
    const { json, jq, time } = outputOf(found.command, flags);
    const filter = jq === undefined ? undefined : await filterOf(String(jq));
    output = new Written(process, {
      json: json === true,
      colour,
      time: time as 'relative' | 'iso' | undefined,
      filter,
    });
    process.exitCode = await invoke(found.command, { args, words, flags, output, commands, verbs });
  } catch (error) {
    const failure = isCliError(error) ? error : unexpected(error);
    output.fail(failure);
    process.exitCode = failure.exit;
  } finally {
    release();
    output.end();
  }
}

/**
 * Node ends a process that has nothing more to do, whatever its promises wait for, and as if all were well. A command that is
 * not done by then has failed. Answers how to end this.
 */
function failUnlessDone(argv: readonly string[], output: () => Output): () => void {
  const fail = () => {
    const called = argv.slice(0, 2).filter((word) => /^[a-z][a-z-]*$/.test(word));
    const message = `\`${['svc', ...called].join(' ')}\` ended before it was done: it waits for something that cannot come any more`;
    output().fail(new CliError(Exit.failed, 'internal', message, OUR_FAULT));
    process.exitCode = Exit.failed;
  };
  process.once('beforeExit', fail);
  return () => process.off('beforeExit', fail);
}

const OUR_FAULT = 'this is a fault of svc itself; please report it with this text';

async function filterOf(expression: string) {
  const { jqFilter } = await import('./output/jq.ts');
  return await jqFilter(expression, { indented: process.stdout.isTTY });
}

async function invoke(
  command: Command,
  given: Pick<Invocation, 'args' | 'words' | 'flags' | 'output' | 'commands' | 'verbs'>,
): Promise<number> {
  const { run } = await command.load();
  const place = placeOf(command, given.flags);
  const profile = async () => (await import('./client/profile.ts')).readProfile(process.env, process.cwd(), place);
  const client = async () => new (await import('./client/client.ts')).Client(await profile());
  const local: Invocation['local'] = async (options) => (await import('./local.ts')).local(process.env, options);
  process.stdout.on('error', leaveOnClosedPipe);
  const named = await wholeRunIds(command, given, { client, env: process.env });
  const exit = await run({ ...given, ...named, env: process.env, stdin: process.stdin, client, profile, local });
  return exit ?? Exit.ok;
}

/** `svc logs … | head` closes our standard output. Like cat, the command then ends quietly. */
function leaveOnClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(Exit.ok);
  process.stderr.write(`svc: standard output cannot be written: ${error.message} (output_failed)\n`);
  process.stderr.write('  → make room on the disk, or write to another place\n', () => process.exit(Exit.failed));
}

/** A third-party plugin may have its own copy of the class. */
const isCliError = (error: unknown): error is CliError =>
  error instanceof CliError ||
  (error instanceof Error && ['exit', 'code', 'next', 'details'].every((name) => name in error));

const exitOf = (status: unknown) => (status === 401 ? Exit.notAuthenticated : Exit.failed);

/** Coded errors carry a next step too. Any other error is a fault of svc, and the message says so. */
function unexpected(error: unknown): CliError {
  const known = error as { code?: unknown; next?: unknown; status?: unknown; message?: string };
  if (typeof known.code === 'string' && typeof known.next === 'string')
    return new CliError(exitOf(known.status), known.code, known.message ?? known.code, known.next);
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new CliError(Exit.failed, 'internal', stack, OUR_FAULT);
}
