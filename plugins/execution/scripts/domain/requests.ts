import { socketRequestInvalid } from '../errors.ts';
import { MAX_EXIT_CODE, MAX_MESSAGE_LENGTH } from '../../../engine/runs/contract.ts';
import { SOCKET_PROTOCOL } from '../contract.ts';

/** A validated request of a connection. `id` is echoed in the response. */
export type SocketRequest = { id: number } & (
  | { op: 'hello'; protocol: number }
  | { op: 'verb'; argv: string[]; cwd: string }
  | { op: 'result'; exit_code: number; stdout: Buffer; size: number; error: string | undefined; final: boolean }
  | { op: 'stdin'; data: Buffer; size: number }
  | { op: 'begin'; kind: 'step'; name: string; label: string | undefined; key: string | undefined; repeated: number }
  | { op: 'begun' }
  | { op: 'mask'; name: string }
  | { op: 'end'; exit_code: number; stdout: Buffer; size: number; message: string | undefined }
  | { op: 'call'; argv: string[]; cwd: string; stdin: Buffer | undefined; exec: boolean; repeated: number }
  | { op: 'journal'; from: number }
);

type Fields = Readonly<Record<string, unknown>>;

const MAX_ARGUMENTS = 100_000;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Parses one line. Throws `socket_request_invalid`, which names the invalid member. */
export function readRequest(line: string): SocketRequest {
  const fields = parseObject(line);
  const id = readInteger(fields, 'id', Number.MAX_SAFE_INTEGER);
  switch (fields.op) {
    case 'hello':
      return { id, op: 'hello', protocol: readInteger(fields, 'protocol', 1_000_000, 1) };
    case 'verb':
      return { id, op: 'verb', argv: readTexts(fields, 'argv'), cwd: readText(fields, 'cwd') };
    case 'result':
      return {
        id,
        op: 'result',
        exit_code: readInteger(fields, 'exit', MAX_EXIT_CODE),
        stdout: readBytes(fields, 'stdout'),
        size: readInteger(fields, 'size', Number.MAX_SAFE_INTEGER),
        error: readReason(fields),
        final: fields.final === true,
      };
    case 'stdin':
      return {
        id,
        op: 'stdin',
        data: readBytes(fields, 'data'),
        size: readInteger(fields, 'size', Number.MAX_SAFE_INTEGER),
      };
    default:
      return readStructured(id, fields);
  }
}

/** Returns the id of a line that `readRequest` rejects, if it has one. */
export function findRequestId(line: string): number | undefined {
  try {
    return readInteger(parseObject(line), 'id', Number.MAX_SAFE_INTEGER);
  } catch {
    return undefined;
  }
}

function readStructured(id: number, fields: Fields): SocketRequest {
  switch (fields.op) {
    case 'begin':
      if (fields.kind !== 'step') throw invalidMember('kind', 'must be "step"');
      return {
        id,
        op: 'begin',
        kind: 'step',
        name: readText(fields, 'name'),
        label: readOptional(fields, 'label', readText),
        key: readOptional(fields, 'key', readText),
        repeated: readCount(fields, 'repeated'),
      };
    case 'begun':
      return { id, op: 'begun' };
    case 'journal':
      return { id, op: 'journal', from: readInteger(fields, 'from', Number.MAX_SAFE_INTEGER) };
    case 'mask':
      return { id, op: 'mask', name: readText(fields, 'name') };
    case 'end':
      return {
        id,
        op: 'end',
        exit_code: readInteger(fields, 'exit', MAX_EXIT_CODE),
        stdout: readBytes(fields, 'stdout'),
        size: readOptional(fields, 'size', (given, name) => readInteger(given, name, Number.MAX_SAFE_INTEGER)) ?? 0,
        message: readReason(fields),
      };
    case 'call':
      return {
        id,
        op: 'call',
        argv: [readText(fields, 'verb'), ...readTexts(fields, 'args')],
        cwd: readOptional(fields, 'cwd', readText) ?? '',
        stdin: readOptional(fields, 'stdin', readBytes),
        exec: fields.exec === true,
        repeated: readCount(fields, 'repeated'),
      };
    default:
      throw invalidMember(
        'op',
        `must be one of hello, verb, result, stdin, begin, begun, mask, journal, end, call (protocol ${SOCKET_PROTOCOL})`,
      );
  }
}

function parseObject(line: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw socketRequestInvalid('a line is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw socketRequestInvalid('a line is not a JSON object');
  return value as Fields;
}

function readInteger(fields: Fields, name: string, max: number, min = 0): number {
  const value = fields[name];
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max) return value;
  throw invalidMember(name, `must be a whole number from ${min} to ${max}`);
}

const readCount = (fields: Fields, name: string): number =>
  readOptional(fields, name, (given, member) => readInteger(given, member, Number.MAX_SAFE_INTEGER)) ?? 0;

function readText(fields: Fields, name: string): string {
  const value = fields[name];
  if (isText(value)) return value;
  throw invalidMember(name, 'must be a string without NUL or unpaired surrogates');
}

/**
 * Arguments of a process cannot contain NUL, and half of a surrogate pair would come back changed from the database.
 */
const isText = (value: unknown): value is string =>
  typeof value === 'string' && !value.includes('\0') && value.isWellFormed();

function readTexts(fields: Fields, name: string): string[] {
  const value = fields[name];
  const valid = Array.isArray(value) && value.length <= MAX_ARGUMENTS;
  if (valid && value.every(isText)) return value;
  throw invalidMember(name, `must be a list of at most ${MAX_ARGUMENTS} strings without NUL or unpaired surrogates`);
}

function readBytes(fields: Fields, name: string): Buffer {
  const value = fields[name];
  if (typeof value === 'string' && value.length % 4 === 0 && BASE64.test(value)) return Buffer.from(value, 'base64');
  throw invalidMember(name, 'must be base64');
}

function readOptional<T>(fields: Fields, name: string, read: (fields: Fields, name: string) => T): T | undefined {
  return fields[name] === undefined || fields[name] === null ? undefined : read(fields, name);
}

/**
 * Returns why something failed. It is made well-formed after truncation, because half of a character would come back
 * changed from the database.
 */
const readReason = (fields: Fields): string | undefined =>
  readOptional(fields, 'error', readText)?.slice(0, MAX_MESSAGE_LENGTH).toWellFormed();

const invalidMember = (name: string, message: string) => socketRequestInvalid(`${name} ${message}`);
