import { CliError, type Command, Exit } from './command.ts';

/** Runs one command line and sets the process's exit code. Never throws. */
export async function main(argv: readonly string[]): Promise<void> {
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-v')) {
    const { version } = await import('./version.ts');
    process.stdout.write(`${version()}\n`);
    return;
  }
  const [{ Output }, { findCommand }, { parse }] = await Promise.all([
    import('./output/output.ts'),
    import('./find.ts'),
    import('./parse.ts'),
  ]);
  const colour = !process.env.NO_COLOR;
  let output = new Output(process, { json: argv.includes('--json'), colour });
  try {
    const found = await findCommand(argv);
    if ('help' in found) {
      output.write(found.help);
      return;
    }
    const { args, flags } = parse(found.command, found.rest);
    output = new Output(process, { json: flags.json === true, colour });
    process.exitCode = await invoke(found.command, { args, flags }, output);
  } catch (error) {
    const failure = error instanceof CliError ? error : unexpected(error);
    output.fail(failure);
    process.exitCode = failure.exit;
  }
}

async function invoke(
  command: Command,
  given: Pick<import('./command.ts').Invocation, 'args' | 'flags'>,
  output: import('./output/output.ts').Output,
): Promise<number> {
  const { run } = await command.load();
  const profile = async () => (await import('./client/profile.ts')).readProfile(process.env, process.cwd());
  const client = async () => new (await import('./client/client.ts')).Client(await profile());
  process.stdout.on('error', leaveOnClosedPipe);
  const exit = await run({ ...given, output, env: process.env, stdin: process.stdin, client, profile });
  return exit ?? Exit.ok;
}

/** `svc logs … | head` closes our standard output: that ends the command, quietly, as it ends cat. */
function leaveOnClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(Exit.ok);
  throw error;
}

const exitOf = (status: unknown) => (status === 401 ? Exit.notAuthenticated : Exit.failed);

/** Errors of the kernel carry a code and a next step too; anything else is a fault of ours and says so. */
function unexpected(error: unknown): CliError {
  const known = error as { code?: unknown; next?: unknown; status?: unknown; message?: string };
  if (typeof known.code === 'string' && typeof known.next === 'string')
    return new CliError(exitOf(known.status), known.code, known.message ?? known.code, known.next);
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new CliError(Exit.failed, 'internal', stack, 'this is a fault of svc itself; please report it with this text');
}
