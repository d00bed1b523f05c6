import { createHash } from 'node:crypto';
import { Errors, MAX_DURATION_MS } from '../../../kernel/contracts/index.ts';
import {
  includedPathFault,
  type Json,
  MAX_ATTEMPTS,
  MAX_CALL_NAME_LENGTH,
  MAX_INCLUDED_BYTES,
  MAX_INCLUDED_FILES,
} from '../../runs/contract.ts';

export const MAX_REQUIRES = 32;
export const CAPABILITY = /^[A-Za-z0-9][A-Za-z0-9._:+-]{0,62}$/;
const MAX_ARGUMENTS = 10_000;
const MAX_COMMAND_BYTES = 1024 * 1024;

/** What a child is, for whoever takes it. */
export interface ChildWork {
  name: string;
  executor: string;
  spec: Json;
  requires: string[];
}

/** The executor that runs commands on an agent. */
export const COMMAND = 'command';
const EXECUTOR = /^[a-z][a-z0-9_.-]{0,62}$/;

function refuse(pointer: string, message: string): never {
  throw Errors.invalidRequest(`${pointer.slice(1)} ${message}`, { errors: [{ pointer, message }] });
}

export function checkName(name: Json | undefined): string {
  if (typeof name !== 'string' || name === '') refuse('/name', 'must be a text that is not empty');
  if (name.length > MAX_CALL_NAME_LENGTH * 2 || [...name].length > MAX_CALL_NAME_LENGTH)
    refuse('/name', `must have at most ${MAX_CALL_NAME_LENGTH} characters`);
  if (/\p{Cc}/u.test(name) || !name.isWellFormed()) refuse('/name', 'must be valid Unicode without control characters');
  return name;
}

/**
 * The arguments of `activity` and `activity-submit`: `{name, argv, requires, policy?, beside?}` for a command, `{name, executor, spec,
 * requires}` for anything else. Throws `invalid_request`.
 */
export function readCall(args: Json): ChildWork {
  if (args === null || typeof args !== 'object' || Array.isArray(args)) refuse('/args', 'must be an object');
  const { name, argv, executor, spec, requires, policy, beside, ...unknown } = args;
  const [surplus] = Object.keys(unknown);
  if (surplus !== undefined) refuse(`/${surplus.slice(0, 64)}`, 'is not a known member');
  const whose = { name: checkName(name), requires: checkRequires(requires) };
  if (executor === undefined)
    return {
      ...whose,
      executor: COMMAND,
      spec: { argv: checkCommand(argv), ...checkPolicy(policy), ...checkBeside(beside) },
    };
  if (beside !== undefined) refuse('/beside', 'belongs to commands; another executor has its spec');
  if (policy !== undefined) refuse('/policy', 'belongs to commands; another executor has its spec');
  if (argv !== undefined) refuse('/argv', 'belongs to commands; another executor has its spec');
  if (typeof executor !== 'string' || !EXECUTOR.test(executor)) refuse('/executor', 'must be the name of an executor');
  return { ...whose, executor, spec: checkSpec(spec) };
}

function checkSpec(spec: Json = null): Json {
  const bytes = Buffer.byteLength(JSON.stringify(spec));
  if (bytes > MAX_COMMAND_BYTES)
    throw Errors.payloadTooLarge(`the spec has ${bytes} bytes of JSON; at most ${MAX_COMMAND_BYTES} are taken`);
  return spec;
}

/** `{retry?: {attempts, backoff_ms, max_backoff_ms?}, timeout_ms?}` */
function checkPolicy(policy: Json | undefined): { policy?: Json } {
  if (policy === undefined) return {};
  const { retry, timeout_ms, ...unknown } = members('/policy', policy);
  const { attempts, backoff_ms, max_backoff_ms, ...more } = members('/policy/retry', retry ?? {});
  if (Object.keys({ ...unknown, ...more }).length > 0) refuse('/policy', 'has a member that is not known');
  if (retry !== undefined) whole('/policy/retry/attempts', attempts, 1, MAX_ATTEMPTS);
  if (retry !== undefined) whole('/policy/retry/backoff_ms', backoff_ms, 0, MAX_DURATION_MS);
  if (max_backoff_ms !== undefined) whole('/policy/retry/max_backoff_ms', max_backoff_ms, 1, MAX_DURATION_MS);
  if (timeout_ms !== undefined) whole('/policy/timeout_ms', timeout_ms, 1, MAX_DURATION_MS);
  return { policy };
}

const MAX_FOLDER_LENGTH = 4096;

/** `{folder, files}`: only those files of the run can be read by whoever takes the child. */
function checkBeside(beside: Json | undefined): { beside?: Json } {
  if (beside === undefined) return {};
  const { folder, files, ...unknown } = members('/beside', beside);
  if (Object.keys(unknown).length > 0) refuse('/beside', 'has a member that is not known');
  if (typeof folder !== 'string' || !folder.startsWith('/') || folder.length > MAX_FOLDER_LENGTH)
    refuse('/beside/folder', 'must be an absolute path');
  if (!Array.isArray(files) || files.length > MAX_INCLUDED_FILES)
    refuse('/beside/files', `must be a list of at most ${MAX_INCLUDED_FILES} files`);
  return { beside: { folder, files: files.map(checkFile) } };
}

const DIGEST = /^sha256:[0-9a-f]{64}$/;

function checkFile(given: Json, n: number): Json {
  const at = `/beside/files/${n}`;
  const { path, digest, size, executable = false, ...unknown } = members(at, given);
  if (Object.keys(unknown).length > 0) refuse(at, 'has a member that is not known');
  const fault = typeof path === 'string' ? includedPathFault(path) : 'is no text';
  if (fault !== undefined) refuse(`${at}/path`, fault);
  if (typeof digest !== 'string' || !DIGEST.test(digest)) refuse(`${at}/digest`, 'must be sha256: and 64 digits');
  whole(`${at}/size`, size, 0, MAX_INCLUDED_BYTES);
  if (typeof executable !== 'boolean') refuse(`${at}/executable`, 'must be true or false');
  return { path: path!, digest, size: size!, executable };
}

function members(pointer: string, value: Json): { [member: string]: Json } {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) refuse(pointer, 'must be an object');
  return value;
}

function whole(pointer: string, value: Json | undefined, least: number, most: number): void {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most)
    refuse(pointer, `must be a whole number from ${least} to ${most}`);
}

function checkCommand(argv: Json | undefined): string[] {
  const texts = Array.isArray(argv) && argv.every((one) => typeof one === 'string' && !one.includes('\0'));
  if (!texts || argv.length === 0 || argv[0] === '')
    refuse('/argv', 'must be a command with its arguments, without NUL');
  if (argv.length > MAX_ARGUMENTS) refuse('/argv', `must have at most ${MAX_ARGUMENTS} arguments`);
  const bytes = argv.reduce<number>((sum, one) => sum + Buffer.byteLength(one as string) + 1, 0);
  if (bytes > MAX_COMMAND_BYTES)
    throw Errors.payloadTooLarge(`the command has ${bytes} bytes; the limit is ${MAX_COMMAND_BYTES}`);
  return argv as string[];
}

function checkRequires(requires: Json | undefined): string[] {
  const valid = Array.isArray(requires) && requires.every((one) => typeof one === 'string' && CAPABILITY.test(one));
  if (!valid) refuse('/requires', 'must be a list of capabilities: [A-Za-z0-9][A-Za-z0-9._:+-]{0,62}');
  if (requires.length > MAX_REQUIRES) refuse('/requires', `must name at most ${MAX_REQUIRES}`);
  return [...new Set(requires as string[])];
}

/** Key of a child by its name, byte by byte. 40 hexadecimal digits. */
export const nameKey = (name: string): string =>
  createHash('sha256').update(`child\0${name}`).digest('hex').slice(0, 40);
