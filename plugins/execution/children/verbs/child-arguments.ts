import { verbUsage } from '../../replay/contract.ts';
import {
  checkCommand,
  checkStepName,
  type CommandPolicy,
  requirePositionals,
  POLICY_OPTIONS,
  readArguments,
  readPolicy,
  type ScriptFiles,
  splitCommand,
} from '../../scripts/contract.ts';
import type { IncludedFile } from '../../../engine/runs/contract.ts';
import { CAPABILITY, MAX_REQUIRES } from '../domain/child-call.ts';

/** A command that another agent runs. */
export interface ChildCall {
  name: string;
  argv: string[];
  requires: string[];
  policy?: CommandPolicy | undefined;
  /** The included files that the command may name, and the folder of the calling script. */
  beside?: { folder: string; files: readonly IncludedFile[] };
}

/**
 * Adds the included files. The agent that runs the child writes them to a folder of its own, and puts that folder in
 * place of the script's.
 */
export function addIncludedFiles(child: ChildCall, included_files: ScriptFiles | undefined): ChildCall {
  if (included_files === undefined || !child.argv.some((word) => word.includes(included_files.folder))) return child;
  return {
    ...child,
    beside: { folder: included_files.folder, files: included_files.files.map((file) => ({ ...file })) },
  };
}

/** Parses `<name> [--requires <cap>]... [--retry …] [--timeout …] -- <command>`. Throws `verb_usage`. */
export function readChild(argv: readonly string[]): ChildCall {
  const split = splitCommand(argv);
  const parsed = readArguments(split.verb_argv, POLICY_OPTIONS, ['requires']);
  const command = checkCommand(split.command);
  const [name] = requirePositionals(parsed, ['name']);
  const requires = parsed.lists.requires ?? [];
  const wrong = requires.find((one) => !CAPABILITY.test(one));
  if (wrong !== undefined)
    throw verbUsage(`${JSON.stringify(wrong.slice(0, 80))} is not a capability: [A-Za-z0-9][A-Za-z0-9._:+-]{0,62}`);
  if (requires.length > MAX_REQUIRES) throw verbUsage(`at most ${MAX_REQUIRES} capabilities can be required`);
  const policy = readPolicy(parsed.options);
  return { name: checkChildName(name!), argv: command, requires, policy };
}

/** A child's name is also a site name, so the same rules apply to it. */
export const checkChildName = (name: string): string => checkStepName(name, 'the name of a child');
