import { isServiceError } from '../../../kernel/contracts/index.ts';
import { DatabaseErrors } from '../errors.ts';

interface Fault {
  errno: number;
  code: string;
  message: string;
}

/**
 * The whole transaction was rolled back, or must be, and may be repeated: deadlock (also Galera's certification), lock
 * wait timeout, changed since read, re-prepare, TiDB's write conflicts.
 */
const RETRYABLE: ReadonlySet<number> = new Set([1213, 1205, 1020, 1615, 8002, 8022, 9007]);
/** The server closed the connection or is stopping, or the client lost it. */
const LOST: ReadonlySet<number> = new Set([1053, 1152, 1153, 1158, 1159, 1160, 1161, 1927, 2006, 2013, 4031]);
const LOST_CODES: ReadonlySet<string> = new Set([
  'PROTOCOL_CONNECTION_LOST',
  'PROTOCOL_SEQUENCE_TIMEOUT',
  'PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR',
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
]);
/**
 * The server cannot serve now: too many connections, read-only, not ready (Galera), interrupted, unknown database or
 * user.
 */
const UNAVAILABLE: ReadonlySet<number> = new Set([
  1040, 1044, 1045, 1047, 1049, 1203, 1226, 1290, 1317, 1698, 1836, 3024, 3159,
]);
const FULL: ReadonlySet<number> = new Set([1021, 1114, 1041]);
const DUPLICATE: ReadonlySet<number> = new Set([1062, 1586]);
/** More prepared statements than the server allows for all clients. */
const TOO_MANY_PREPARED = 1461;

/** The driver's error, also from inside a Sequelize error. The number decides, not the name of the code. */
function faultOf(error: unknown): Fault | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('parent' in error && error.parent instanceof Error) return faultOf(error.parent);
  const errno = 'errno' in error && typeof error.errno === 'number' ? error.errno : 0;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return { errno, code, message: error.message };
}

export function isRetryable(error: unknown): boolean {
  return RETRYABLE.has(faultOf(error)?.errno ?? 0);
}

export function isTooManyPrepared(error: unknown): boolean {
  return faultOf(error)?.errno === TOO_MANY_PREPARED;
}

/** The connection cannot be used any more. */
export function isLost(error: unknown): boolean {
  const fault = faultOf(error);
  if (!fault) return false;
  if (LOST.has(fault.errno) || LOST_CODES.has(fault.code)) return true;
  return error instanceof Error && 'fatal' in error && error.fatal === true;
}

/** The server did not answer in time; another try would wait as long again. */
export function isTimeout(error: unknown): boolean {
  return faultOf(error)?.code === 'PROTOCOL_SEQUENCE_TIMEOUT';
}

/** The coded error for an error of the server or the driver. An error without a code of ours is returned unchanged. */
export function mysqlFault(error: unknown): unknown {
  if (isServiceError(error)) return error;
  const fault = faultOf(error);
  if (!fault) return error;
  const { errno, message } = fault;
  if (DUPLICATE.has(errno)) return DatabaseErrors.rowExists(withoutValues(message), { cause: error });
  if (FULL.has(errno) || /\b(error|errno:?) 28\b/i.test(message))
    return DatabaseErrors.storageFull(message, { cause: error, retryAfterMs: 5000 });
  if (RETRYABLE.has(errno)) return DatabaseErrors.busy(message, { cause: error, retryAfterMs: 1000 });
  if (UNAVAILABLE.has(errno) || isLost(error) || isAcquireFailure(error))
    return DatabaseErrors.unavailable(message, { cause: error, retryAfterMs: 1000 });
  return error;
}

/** "Duplicate entry 'x' for key 'y'": the value may be private. */
function withoutValues(message: string): string {
  const key = /for key '(?:[^'.]*\.)?([^'.]*)'$/.exec(message)?.[1];
  return key ? `the key ${key} already exists` : 'a unique key already exists';
}

function isAcquireFailure(error: unknown): boolean {
  return error instanceof Error && /^Sequelize(Connection|AccessDenied|Host|InvalidConnection)/.test(error.name);
}
