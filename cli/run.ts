import type { Client } from './client/client.ts';
import type { Command, Invocation } from './command.ts';
import { CliError, Exit } from './errors.ts';
import { outputFlags, profileFlags } from './flags.ts';
import type { Output } from './output/output.ts';
import { resolveRunIds } from './run-ids.ts';

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
    // The shell is waiting, so exit without waiting for a server that may still answer.
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
    const target = await findCommand(argv, commands, verbs).catch((error) => workflowHelp(argv, commands, error));
    if ('help' in target) {
      const { commandInputsHelp } = await import('./inputs/inputs-help.ts');
      await showHelp(`${target.help}${await commandInputsHelp(argv, commands)}`, output);
      return;
    }
    const { command } = target;
    const { rest, inputs } = command.inputs
      ? await (await import('./inputs/parse-inputs.ts')).parseInputs(command, target.rest, commands)
      : { rest: target.rest, inputs: undefined };
    const { args, words, flags } = parse(command, rest, commands);
    const { json, jq, time } = outputFlags(command, flags);
    const filter = jq === undefined ? undefined : await filterOf(String(jq));
    output = new Written(process, {
      json: json === true,
      colour,
      time: time as 'relative' | 'iso' | undefined,
      filter,
    });
    process.exitCode = await invoke(command, { args, words, flags, inputs, output, commands, verbs });
  } catch (error) {
    const failure = isCliError(error) ? error : toCliError(error);
    output.fail(failure);
    process.exitCode = failure.exit;
  } finally {
    release();
    output.end();
  }
}

/**
 * Node exits with success when nothing keeps the event loop alive, even if promises are still pending. A command that has not
 * finished by then has failed. Returns a function that ends this check.
 */
function failUnlessDone(argv: readonly string[], output: () => Output): () => void {
  const fail = () => {
    const words = argv.slice(0, 2).filter((word) => /^[a-z][a-z-]*$/.test(word));
    const message = `\`${['svc', ...words].join(' ')}\` stopped because it was waiting for something that can no longer happen`;
    output().fail(new CliError(Exit.failed, 'internal', message, REPORT_HINT));
    process.exitCode = Exit.failed;
  };
  process.once('beforeExit', fail);
  return () => process.off('beforeExit', fail);
}

const REPORT_HINT = 'this is a bug in svc; please report it with this text';

async function showHelp(text: string, output: Output): Promise<void> {
  const { showInPager } = await import('./output/pager.ts');
  const { stdout, env } = process;
  stdout.on('error', leaveOnClosedPipe);
  await showInPager(text, { stdout, env, print: (all) => output.write(all) });
}

/** `svc help <workflow>` names what is no command. Throws the error of the command if there is no such workflow. */
async function workflowHelp(argv: readonly string[], commands: readonly Command[], error: unknown) {
  const [first, name] = argv;
  if (first !== 'help' || name === undefined || argv.length > 2) throw error;
  const help = await (await import('./inputs/inputs-help.ts')).workflowHelp(name, commands);
  if (help === undefined) throw error;
  return { help };
}

async function filterOf(expression: string) {
  const { jqFilter } = await import('./output/jq.ts');
  return await jqFilter(expression, { indented: process.stdout.isTTY });
}

async function invoke(
  command: Command,
  parsed: Pick<Invocation, 'args' | 'words' | 'flags' | 'inputs' | 'output' | 'commands' | 'verbs'>,
): Promise<number> {
  const { run } = await command.load();
  const choice = profileFlags(command, parsed.flags);
  const profile = async () => (await import('./client/profile.ts')).readProfile(process.env, process.cwd(), choice);
  const clients: Client[] = [];
  const client = async () => {
    const made = new (await import('./client/client.ts')).Client(await profile());
    clients.push(made);
    return made;
  };
  const local: Invocation['local'] = async (options) =>
    (await import('./local.ts')).startLocalService(process.env, options);
  process.stdout.on('error', leaveOnClosedPipe);
  try {
    const resolved = await resolveRunIds(command, parsed, { client, env: process.env });
    const exit = await run({ ...parsed, ...resolved, env: process.env, stdin: process.stdin, client, profile, local });
    return exit ?? Exit.ok;
  } catch (error) {
    throw clients.map((made) => made.toUnexpectedAnswer(error)).find((unexpected) => unexpected !== undefined) ?? error;
  }
}

/** `svc logs … | head` closes our standard output. Like cat, the command then ends quietly. */
function leaveOnClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(Exit.ok);
  process.stderr.write(`svc: cannot write to standard output: ${error.message} (output_failed)\n`);
  process.stderr.write('  → free space on the disk, or write somewhere else\n', () => process.exit(Exit.failed));
}

/** A third-party plugin may have its own copy of the class. */
const isCliError = (error: unknown): error is CliError =>
  error instanceof CliError ||
  (error instanceof Error && ['exit', 'code', 'next', 'details'].every((name) => name in error));

const exitOf = (status: unknown) => (status === 401 ? Exit.notAuthenticated : Exit.failed);

/** Coded errors carry a next step too. Any other error is a fault of svc, and the message says so. */
function toCliError(error: unknown): CliError {
  const coded = error as { code?: unknown; next?: unknown; status?: unknown; message?: string };
  if (typeof coded.code === 'string' && typeof coded.next === 'string')
    return new CliError(exitOf(coded.status), coded.code, coded.message ?? coded.code, coded.next);
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new CliError(Exit.failed, 'internal', stack, REPORT_HINT);
}
