import { Client } from '../client/client.ts';
import { readProfile } from '../client/profile.ts';
import type { Command, FlagValues, Invocation } from '../command.ts';
import { CliError, usageError } from '../errors.ts';
import { flagsOf, profileFlags } from '../flags.ts';
import { parse } from '../parse.ts';
import { findInputs } from './find-inputs.ts';
import { checkRequired, findUnknownFlag, extractInputFlags } from './input-flags.ts';

/** A client for the server that a command line names. */
export const clientOf = (command: Command, flags: FlagValues) => async () =>
  new Client(await readProfile(process.env, process.cwd(), profileFlags(command, flags)));

/**
 * Reads the flags of a command line that are inputs of its workflow. The workflow is looked up only if there is a flag that the
 * command does not have. Throws a usage error that names the flag.
 */
export async function parseInputs(
  command: Command,
  argv: readonly string[],
  commands: readonly Command[],
): Promise<{ rest: readonly string[]; inputs: Invocation['inputs'] }> {
  const flags = flagsOf(command);
  const first = findUnknownFlag(argv, flags);
  if (first === undefined) return { rest: argv, inputs: undefined };
  const before = await parseBefore(command, argv.slice(0, first), commands);
  const inputs = before && (await findInputs(command, before, process, clientOf(command, before.flags)));
  // The command says that it has no such flag, unless the flag stands before the workflow that may have it.
  if (inputs === undefined) {
    if (before?.args.length !== 0 || !argv.slice(first).some((word) => !word.startsWith('-')))
      return { rest: argv, inputs: undefined };
    const flag = argv[first]!.split('=', 1)[0]!;
    throw usageError(
      `the flag ${flag} does not exist`,
      `flags for inputs come after the workflow: svc ${command.name} <workflow> ${flag} …; see \`svc help ${command.name}\``,
    );
  }
  const { rest, values } = extractInputFlags(argv, flags, inputs);
  const { input } = parse(command, rest, commands).flags;
  const has_input = Array.isArray(input) ? input.length > 0 : input !== undefined;
  if (!has_input) checkRequired(inputs, values, flags);
  return { rest, inputs: values };
}

/** What stands before the first flag of an input. A missing argument is no error yet. */
async function parseBefore(command: Command, argv: readonly string[], commands: readonly Command[]) {
  try {
    const args = (command.args ?? []).map((one) => ({ ...one, optional: true }));
    return parse({ ...command, args }, argv, commands);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return undefined;
  }
}
