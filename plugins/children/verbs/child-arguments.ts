import { verbUsage } from '../../replay/contract.ts';
import {
  checkCommand,
  checkStepName,
  type CommandPolicy,
  exactly,
  POLICY_OPTIONS,
  readArguments,
  readPolicy,
  type ScriptFiles,
  splitCommand,
} from '../../scripts/contract.ts';
import type { IncludedFile } from '../../runs/contract.ts';
import { CAPABILITY, MAX_REQUIRES } from '../domain/child-call.ts';

/** A command for another agent. */
export interface ChildCall {
  name: string;
  argv: string[];
  requires: string[];
  policy?: CommandPolicy | undefined;
  /** What the command names of what lies beside the script. */
  beside?: { folder: string; files: readonly IncludedFile[] };
}

/** The agent that takes the child lays the files into a folder of its own, and puts that in place of the script's. */
export function withFiles(child: ChildCall, beside: ScriptFiles | undefined): ChildCall {
  if (beside === undefined || !child.argv.some((word) => word.includes(beside.folder))) return child;
  return { ...child, beside: { folder: beside.folder, files: beside.files.map((file) => ({ ...file })) } };
}

/** `<name> [--requires <cap>]... [--retry …] [--timeout …] -- <command>`. Throws `verb_usage`. */
export function readChild(argv: readonly string[]): ChildCall {
  const split = splitCommand(argv);
  const given = readArguments(split.own, POLICY_OPTIONS, ['requires']);
  const command = checkCommand(split.command);
  const [name] = exactly(given, ['name']);
  const requires = given.lists.requires ?? [];
  const wrong = requires.find((one) => !CAPABILITY.test(one));
  if (wrong !== undefined)
    throw verbUsage(`${JSON.stringify(wrong.slice(0, 80))} is not a capability: [A-Za-z0-9][A-Za-z0-9._:+-]{0,62}`);
  if (requires.length > MAX_REQUIRES) throw verbUsage(`at most ${MAX_REQUIRES} capabilities can be required`);
  const policy = readPolicy(given.options);
  return { name: checkChildName(name!), argv: command, requires, ...(policy && { policy }) };
}

/** A child's name is also a site name, so it has the same rules. */
export const checkChildName = (name: string): string => checkStepName(name, 'the name of a child');
