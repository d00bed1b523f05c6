import { createHash } from 'node:crypto';
import { Errors, MAX_DURATION_MS } from '../../../../kernel/contracts/index.ts';
import {
  includedPathFault,
  type Json,
  MAX_ATTEMPTS,
  MAX_CALL_NAME_LENGTH,
  MAX_INCLUDED_BYTES,
  MAX_INCLUDED_FILES,
} from '../../../engine/runs/contract.ts';

export const MAX_REQUIRES = 32;
export const CAPABILITY = /^[A-Za-z0-9][A-Za-z0-9._:+-]{0,62}$/;
const MAX_ARGUMENTS = 10_000;
const MAX_COMMAND_BYTES = 1024 * 1024;

/** What the executor of a child needs. */
export interface ChildWork {
  name: string;
  executor: string;
  spec: Json;
  requires: string[];
}

/** The executor that runs commands on an agent. */
export const COMMAND = 'command';
const EXECUTOR = /^[a-z][a-z0-9_.-]{0,62}$/;

function reject(pointer: string, message: string): never {
  throw Errors.invalidRequest(`${pointer.slice(1)} ${message}`, { errors: [{ pointer, message }] });
}

export function checkName(name: Json | undefined): string {
  if (typeof name !== 'string' || name === '') reject('/name', 'must be a non-empty string');
  if (name.length > MAX_CALL_NAME_LENGTH * 2 || [...name].length > MAX_CALL_NAME_LENGTH)
    reject('/name', `must have at most ${MAX_CALL_NAME_LENGTH} characters`);
  if (/\p{Cc}/u.test(name) || !name.isWellFormed()) reject('/name', 'must be valid Unicode without control characters');
  return name;
}

/**
 * Reads the arguments of `activity` and `activity-submit`: `{name, argv, requires, policy?, beside?}` for a command,
 * and `{name, executor, spec, requires}` for any other executor. Throws `invalid_request`.
 */
export function readCall(args: Json): ChildWork {
  if (args === null || typeof args !== 'object' || Array.isArray(args)) reject('/args', 'must be an object');
  const { name, argv, executor, spec, requires, policy, beside, ...unknown } = args;
  const [surplus] = Object.keys(unknown);
  if (surplus !== undefined) reject(`/${surplus.slice(0, 64)}`, 'is not a known member');
  const common = { name: checkName(name), requires: checkRequires(requires) };
  if (executor === undefined)
    return {
      ...common,
      executor: COMMAND,
      spec: { argv: checkCommand(argv), ...checkPolicy(policy), ...checkIncludedFiles(beside) },
    };
  if (beside !== undefined) reject('/beside', 'is only for commands; other executors use spec');
  if (policy !== undefined) reject('/policy', 'is only for commands; other executors use spec');
  if (argv !== undefined) reject('/argv', 'is only for commands; other executors use spec');
  if (typeof executor !== 'string' || !EXECUTOR.test(executor)) reject('/executor', 'must be the name of an executor');
  return { ...common, executor, spec: checkSpec(spec) };
}

function checkSpec(spec: Json = null): Json {
  const bytes = Buffer.byteLength(JSON.stringify(spec));
  if (bytes > MAX_COMMAND_BYTES)
    throw Errors.payloadTooLarge(`the spec is ${bytes} bytes of JSON; at most ${MAX_COMMAND_BYTES} are allowed`);
  return spec;
}

/** Checks `{retry?: {attempts, backoff_ms, max_backoff_ms?}, timeout_ms?}`. */
function checkPolicy(policy: Json | undefined): { policy?: Json } {
  if (policy === undefined) return {};
  const { retry, timeout_ms, ...unknown } = readMembers('/policy', policy);
  const { attempts, backoff_ms, max_backoff_ms, ...unknown_retry } = readMembers('/policy/retry', retry ?? {});
  if (Object.keys({ ...unknown, ...unknown_retry }).length > 0) reject('/policy', 'has an unknown member');
  if (retry !== undefined) checkInteger('/policy/retry/attempts', attempts, 1, MAX_ATTEMPTS);
  if (retry !== undefined) checkInteger('/policy/retry/backoff_ms', backoff_ms, 0, MAX_DURATION_MS);
  if (max_backoff_ms !== undefined) checkInteger('/policy/retry/max_backoff_ms', max_backoff_ms, 1, MAX_DURATION_MS);
  if (timeout_ms !== undefined) checkInteger('/policy/timeout_ms', timeout_ms, 1, MAX_DURATION_MS);
  return { policy };
}

const MAX_FOLDER_LENGTH = 4096;

/** Checks `{folder, files}`. The agent that runs the child can read only these files of the run. */
function checkIncludedFiles(beside: Json | undefined): { beside?: Json } {
  if (beside === undefined) return {};
  const { folder, files, ...unknown } = readMembers('/beside', beside);
  if (Object.keys(unknown).length > 0) reject('/beside', 'has an unknown member');
  if (typeof folder !== 'string' || !folder.startsWith('/') || folder.length > MAX_FOLDER_LENGTH)
    reject('/beside/folder', 'must be an absolute path');
  if (!Array.isArray(files) || files.length > MAX_INCLUDED_FILES)
    reject('/beside/files', `must be a list of at most ${MAX_INCLUDED_FILES} files`);
  return { beside: { folder, files: files.map(checkFile) } };
}

const DIGEST = /^sha256:[0-9a-f]{64}$/;

function checkFile(file: Json, n: number): Json {
  const at = `/beside/files/${n}`;
  const { path, digest, size, executable = false, ...unknown } = readMembers(at, file);
  if (Object.keys(unknown).length > 0) reject(at, 'has an unknown member');
  const problem = typeof path === 'string' ? includedPathFault(path) : 'is not text';
  if (problem !== undefined) reject(`${at}/path`, problem);
  if (typeof digest !== 'string' || !DIGEST.test(digest)) reject(`${at}/digest`, 'must be sha256: and 64 digits');
  checkInteger(`${at}/size`, size, 0, MAX_INCLUDED_BYTES);
  if (typeof executable !== 'boolean') reject(`${at}/executable`, 'must be true or false');
  return { path: path!, digest, size: size!, executable };
}

function readMembers(pointer: string, value: Json): { [member: string]: Json } {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) reject(pointer, 'must be an object');
  return value;
}

function checkInteger(pointer: string, value: Json | undefined, min: number, max: number): void {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max)
    reject(pointer, `must be a whole number from ${min} to ${max}`);
}

function checkCommand(argv: Json | undefined): string[] {
  const texts = Array.isArray(argv) && argv.every((one) => typeof one === 'string' && !one.includes('\0'));
  if (!texts || argv.length === 0 || argv[0] === '')
    reject('/argv', 'must be a command with its arguments, without NUL');
  if (argv.length > MAX_ARGUMENTS) reject('/argv', `must have at most ${MAX_ARGUMENTS} arguments`);
  const bytes = argv.reduce<number>((sum, one) => sum + Buffer.byteLength(one as string) + 1, 0);
  if (bytes > MAX_COMMAND_BYTES)
    throw Errors.payloadTooLarge(`the command is ${bytes} bytes long; the limit is ${MAX_COMMAND_BYTES}`);
  return argv as string[];
}

function checkRequires(requires: Json | undefined): string[] {
  const valid = Array.isArray(requires) && requires.every((one) => typeof one === 'string' && CAPABILITY.test(one));
  if (!valid) reject('/requires', 'must be a list of capabilities: [A-Za-z0-9][A-Za-z0-9._:+-]{0,62}');
  if (requires.length > MAX_REQUIRES) reject('/requires', `must contain at most ${MAX_REQUIRES} capabilities`);
  return [...new Set(requires as string[])];
}

/** Returns the key of a child: 40 hexadecimal digits that distinguish names byte by byte. */
export const nameKey = (name: string): string =>
  createHash('sha256').update(`child\0${name}`).digest('hex').slice(0, 40);
