import { checkStepName } from '../domain/step.ts';
import { verbUsage } from '../errors.ts';
import { exactly, readArguments } from './arguments.ts';

const CAPABILITY = /^[A-Za-z0-9][A-Za-z0-9._:+-]{0,62}$/;
const MOST_CAPABILITIES = 32;

/** What a script asks another agent to run. */
export interface ChildArguments {
  [member: string]: unknown;
  name: string;
  argv: string[];
  requires: string[];
}

/** `<name> [--requires <cap>]... -- <command>`. Throws `verb_usage`. */
export function readChild(argv: readonly string[]): ChildArguments {
  const dashes = argv.indexOf('--');
  const given = readArguments(dashes < 0 ? argv : argv.slice(0, dashes), [], ['requires']);
  if (dashes < 0) throw verbUsage('the command is missing: write it after --');
  const [name] = exactly(given, ['name']);
  const command = argv.slice(dashes + 1);
  if (command.length === 0 || command[0] === '') throw verbUsage('there is no command after --');
  const requires = given.lists.requires ?? [];
  const wrong = requires.find((one) => !CAPABILITY.test(one));
  if (wrong !== undefined)
    throw verbUsage(`${JSON.stringify(wrong.slice(0, 80))} is no capability: [A-Za-z0-9][A-Za-z0-9._:+-]{0,62}`);
  if (requires.length > MOST_CAPABILITIES) throw verbUsage(`at most ${MOST_CAPABILITIES} capabilities can be required`);
  return { name: checkChildName(name!), argv: [...command], requires };
}

/** As that of a step: it is the name of a site too. */
export const checkChildName = (name: string): string => checkStepName(name, 'the name of a child');
