import { Errors, isServiceError } from '../../../../kernel/contracts/index.ts';
import { DatabaseErrors } from '../errors.ts';

interface DriverError {
  errno: number;
  code: string;
  message: string;
}

/**
 * The whole transaction was rolled back, or must be, and may be retried, even if COMMIT returns the error: deadlock (which
 * Galera also reports when certification fails), lock wait timeout, changed since read, re-prepare, a group that did not
 * certify, TiDB's write conflicts, a schema that changed under the transaction, a lock that was not resolved in time.
 */
const RETRYABLE: ReadonlySet<number> = new Set([1213, 1205, 1020, 1615, 3101, 8002, 8005, 8022, 8028, 9004, 9007]);
/** A text beyond ASCII was compared with an ASCII column, such as a name: no row can be equal to it. */
const COLLATIONS: ReadonlySet<number> = new Set([1267, 1270, 1271]);
/**
 * The server closed the connection or is stopping, or the client lost it. With 1180 and 8501, the server itself does not know
 * the outcome of a commit.
 */
const LOST: ReadonlySet<number> = new Set([
  1053, 1152, 1153, 1158, 1159, 1160, 1161, 1180, 1927, 2006, 2013, 4031, 8501,
]);
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
 * Vitess lost the connection to the database behind it. At a statement this means that nothing was committed; at COMMIT nobody
 * knows. `VT09032` is the answer to all later statements.
 */
const LOST_IN_VITESS = /^(VT15001|VT09032): /;
/**
 * The server cannot serve at present: too many connections or transactions, read-only, not ready (Galera), interrupted,
 * unknown database or user, or a component of TiDB or Vitess that does not answer.
 */
const UNAVAILABLE: ReadonlySet<number> = new Set([
  1040, 1044, 1045, 1047, 1049, 1203, 1226, 1290, 1317, 1637, 1698, 1836, 3024, 3100, 3159, 3168, 8027, 9001, 9002,
  9003, 9005,
]);
/** The messages that Vitess sends with the number 1105 ("unknown error") while a shard has no primary. */
const NO_PRIMARY =
  /no healthy tablet available|operation not allowed in state (NOT_SERVING|SHUTTING_DOWN)|^VT1400[1-3]: |code = Unavailable/;
const UNKNOWN = 1105;
/** Vitess also sends this number while it throttles transactions. */
const OUT_OF_RESOURCES = 1041;
const FULL: ReadonlySet<number> = new Set([1021, 1114, OUT_OF_RESOURCES]);
const DUPLICATE: ReadonlySet<number> = new Set([1062, 1586]);
/** There are more prepared statements than the server allows for all clients. */
const TOO_MANY_PREPARED = 1461;

/** Returns the driver's error, even from inside a Sequelize error. Its number counts, not the name of its code. */
function toDriverError(error: unknown): DriverError | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('parent' in error && error.parent instanceof Error) return toDriverError(error.parent);
  const errno = 'errno' in error && typeof error.errno === 'number' ? error.errno : 0;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return { errno, code, message: error.message };
}

export function isRetryable(error: unknown): boolean {
  return RETRYABLE.has(toDriverError(error)?.errno ?? 0);
}

const isThrottled = (errno: number, message: string) =>
  errno === OUT_OF_RESOURCES && message.includes('Transaction throttled');

const isUnavailable = ({ errno, message }: DriverError): boolean =>
  UNAVAILABLE.has(errno) || (errno === UNKNOWN && NO_PRIMARY.test(message)) || isThrottled(errno, message);

const isFull = ({ errno, message }: DriverError): boolean =>
  (FULL.has(errno) && !isThrottled(errno, message)) || /\b(error|errno:?) 28\b/i.test(message);

export function isTooManyPrepared(error: unknown): boolean {
  return toDriverError(error)?.errno === TOO_MANY_PREPARED;
}

/** The connection cannot be used any more. */
export function isLost(error: unknown): boolean {
  const driver_error = toDriverError(error);
  if (!driver_error) return false;
  if (LOST.has(driver_error.errno) || LOST_CODES.has(driver_error.code)) return true;
  if (driver_error.errno > 0 && LOST_IN_VITESS.test(driver_error.message)) return true;
  return error instanceof Error && 'fatal' in error && error.fatal === true;
}

/** The server did not answer in time. Another attempt would wait as long again. */
export function isTimeout(error: unknown): boolean {
  return toDriverError(error)?.code === 'PROTOCOL_SEQUENCE_TIMEOUT';
}

/** Converts an error of the server or the driver to a coded one. An error that has no code of ours is returned unchanged. */
export function toServiceError(error: unknown): unknown {
  if (isServiceError(error)) return error;
  const driver_error = toDriverError(error);
  if (!driver_error) return error;
  const { errno, message } = driver_error;
  if (COLLATIONS.has(errno))
    return Errors.invalidRequest('a name, an ID or a filter contains characters that are not allowed', {
      cause: error,
    });
  if (DUPLICATE.has(errno)) return DatabaseErrors.rowExists(redactValues(message), { cause: error });
  if (isFull(driver_error)) return DatabaseErrors.storageFull(message, { cause: error, retryAfterMs: 5000 });
  if (RETRYABLE.has(errno)) return DatabaseErrors.busy(message, { cause: error, retryAfterMs: 1000 });
  if (isUnavailable(driver_error) || isLost(error) || isAcquireFailure(error))
    return DatabaseErrors.unavailable(message, { cause: error, retryAfterMs: 1000 });
  return error;
}

/** Drops the value from "Duplicate entry 'x' for key 'y'", because it may be private. */
function redactValues(message: string): string {
  const key = /for key '(?:[^'.]*\.)?([^'.]*)'$/.exec(message)?.[1];
  return key ? `the key ${key} already exists` : 'a unique key already exists';
}

function isAcquireFailure(error: unknown): boolean {
  return error instanceof Error && /^Sequelize(Connection|AccessDenied|Host|InvalidConnection)/.test(error.name);
}
