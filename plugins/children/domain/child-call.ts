import { createHash } from 'node:crypto';
import { Errors } from '../../../kernel/contracts/index.ts';
import type { Json } from '../../runs/contract.ts';

const NAME_POINTS = 200;
const REQUIRES = 32;
const CAPABILITY = /^[A-Za-z0-9][A-Za-z0-9._:+-]{0,62}$/;
const ARGUMENTS = 10_000;
const COMMAND_BYTES = 1024 * 1024;

export interface ChildCall {
  name: string;
  argv: string[];
  requires: string[];
}

function refuse(pointer: string, message: string): never {
  throw Errors.invalidRequest(`${pointer.slice(1)} ${message}`, { errors: [{ pointer, message }] });
}

export function checkName(name: Json | undefined): string {
  if (typeof name !== 'string' || name === '') refuse('/name', 'must be a text that is not empty');
  if (name.length > NAME_POINTS * 2 || [...name].length > NAME_POINTS)
    refuse('/name', `must have at most ${NAME_POINTS} characters`);
  if (/\p{Cc}/u.test(name) || !name.isWellFormed()) refuse('/name', 'must be valid Unicode without control characters');
  return name;
}

/** The arguments of `activity` and `activity-submit`: `{name, argv, requires}`. Throws `invalid_request`. */
export function readCall(args: Json): ChildCall {
  if (args === null || typeof args !== 'object' || Array.isArray(args)) refuse('/args', 'must be an object');
  const { name, argv, requires, ...unknown } = args;
  const [surplus] = Object.keys(unknown);
  if (surplus !== undefined) refuse(`/${surplus.slice(0, 64)}`, 'is not known here');
  return { name: checkName(name), argv: checkCommand(argv), requires: checkRequires(requires) };
}

function checkCommand(argv: Json | undefined): string[] {
  const texts = Array.isArray(argv) && argv.every((one) => typeof one === 'string' && !one.includes('\0'));
  if (!texts || argv.length === 0 || argv[0] === '')
    refuse('/argv', 'must be a command and its arguments, without NUL');
  if (argv.length > ARGUMENTS) refuse('/argv', `must have at most ${ARGUMENTS} arguments`);
  const bytes = argv.reduce<number>((sum, one) => sum + Buffer.byteLength(one as string) + 1, 0);
  if (bytes > COMMAND_BYTES)
    throw Errors.payloadTooLarge(`the command has ${bytes} bytes; at most ${COMMAND_BYTES} are taken`);
  return argv as string[];
}

function checkRequires(requires: Json | undefined): string[] {
  const valid = Array.isArray(requires) && requires.every((one) => typeof one === 'string' && CAPABILITY.test(one));
  if (!valid) refuse('/requires', 'must be a list of capabilities: [A-Za-z0-9][A-Za-z0-9._:+-]{0,62}');
  if (requires.length > REQUIRES) refuse('/requires', `must name at most ${REQUIRES}`);
  return [...new Set(requires as string[])];
}

/** Finds a child of one parent by its name, byte by byte. 40 hexadecimal digits. */
export const nameKey = (name: string): string =>
  createHash('sha256').update(`child\0${name}`).digest('hex').slice(0, 40);
