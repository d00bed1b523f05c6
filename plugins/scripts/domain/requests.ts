import { socketRequestInvalid } from '../errors.ts';
import { MAX_EXIT_CODE, MAX_MESSAGE_LENGTH } from '../../runs/contract.ts';
import { SOCKET_PROTOCOL } from '../contract.ts';

/** What a connection may send, checked. `id` is echoed in the answer. */
export type SocketRequest = { id: number } & (
  | { op: 'hello'; protocol: number }
  | { op: 'verb'; argv: string[]; cwd: string }
  | { op: 'result'; exit_code: number; stdout: Buffer; size: number; error: string | undefined; final: boolean }
  | { op: 'stdin'; data: Buffer; size: number }
  | { op: 'begin'; kind: 'step'; name: string; label: string | undefined; key: string | undefined }
  | { op: 'begun' }
  | { op: 'end'; exit_code: number; stdout: Buffer; size: number; message: string | undefined }
  | { op: 'call'; argv: string[]; cwd: string; stdin: Buffer | undefined; exec: boolean }
);

type Fields = Readonly<Record<string, unknown>>;

const MAX_ARGUMENTS = 100_000;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Reads one line. Throws `socket_request_invalid`, which names the member at fault. */
export function readRequest(line: string): SocketRequest {
  const fields = parse(line);
  const id = whole(fields, 'id', Number.MAX_SAFE_INTEGER);
  switch (fields.op) {
    case 'hello':
      return { id, op: 'hello', protocol: whole(fields, 'protocol', 1_000_000, 1) };
    case 'verb':
      return { id, op: 'verb', argv: texts(fields, 'argv'), cwd: text(fields, 'cwd') };
    case 'result':
      return {
        id,
        op: 'result',
        exit_code: whole(fields, 'exit', MAX_EXIT_CODE),
        stdout: bytes(fields, 'stdout'),
        size: whole(fields, 'size', Number.MAX_SAFE_INTEGER),
        error: reasonIn(fields),
        final: fields.final === true,
      };
    case 'stdin':
      return {
        id,
        op: 'stdin',
        data: bytes(fields, 'data'),
        size: whole(fields, 'size', Number.MAX_SAFE_INTEGER),
      };
    default:
      return readStructured(id, fields);
  }
}

/** The number of a line that `readRequest` refuses, if it has one. */
export function numberOf(line: string): number | undefined {
  try {
    return whole(parse(line), 'id', Number.MAX_SAFE_INTEGER);
  } catch {
    return undefined;
  }
}

function readStructured(id: number, fields: Fields): SocketRequest {
  switch (fields.op) {
    case 'begin':
      if (fields.kind !== 'step') throw fault('kind', 'must be "step"');
      return {
        id,
        op: 'begin',
        kind: 'step',
        name: text(fields, 'name'),
        label: optional(fields, 'label', text),
        key: optional(fields, 'key', text),
      };
    case 'begun':
      return { id, op: 'begun' };
    case 'end':
      return {
        id,
        op: 'end',
        exit_code: whole(fields, 'exit', MAX_EXIT_CODE),
        stdout: bytes(fields, 'stdout'),
        size: optional(fields, 'size', (given, name) => whole(given, name, Number.MAX_SAFE_INTEGER)) ?? 0,
        message: reasonIn(fields),
      };
    case 'call':
      return {
        id,
        op: 'call',
        argv: [text(fields, 'verb'), ...texts(fields, 'args')],
        cwd: optional(fields, 'cwd', text) ?? '',
        stdin: optional(fields, 'stdin', bytes),
        exec: fields.exec === true,
      };
    default:
      throw fault(
        'op',
        `must be one of hello, verb, result, stdin, begin, begun, end, call (protocol ${SOCKET_PROTOCOL})`,
      );
  }
}

function parse(line: string): Fields {
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

function whole(fields: Fields, name: string, most: number, least = 0): number {
  const value = fields[name];
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most) return value;
  throw fault(name, `must be a whole number from ${least} to ${most}`);
}

function text(fields: Fields, name: string): string {
  const value = fields[name];
  if (isText(value)) return value;
  throw fault(name, 'must be a text without NUL and halves of characters');
}

/** No argument of a process holds a NUL, and half of a surrogate pair would come back from the database as another. */
const isText = (value: unknown): value is string =>
  typeof value === 'string' && !value.includes('\0') && value.isWellFormed();

function texts(fields: Fields, name: string): string[] {
  const value = fields[name];
  const valid = Array.isArray(value) && value.length <= MAX_ARGUMENTS;
  if (valid && value.every(isText)) return value;
  throw fault(name, `must be a list of at most ${MAX_ARGUMENTS} texts without NUL and halves of characters`);
}

function bytes(fields: Fields, name: string): Buffer {
  const value = fields[name];
  if (typeof value === 'string' && value.length % 4 === 0 && BASE64.test(value)) return Buffer.from(value, 'base64');
  throw fault(name, 'must be base64');
}

function optional<T>(fields: Fields, name: string, read: (fields: Fields, name: string) => T): T | undefined {
  return fields[name] === undefined || fields[name] === null ? undefined : read(fields, name);
}

/** Why something failed. Cut and mended after: half of a character would not come back from the database as it was. */
const reasonIn = (fields: Fields): string | undefined =>
  optional(fields, 'error', text)?.slice(0, MAX_MESSAGE_LENGTH).toWellFormed();

const fault = (name: string, message: string) => socketRequestInvalid(`${name} ${message}`);
