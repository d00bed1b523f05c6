import { Errors, isServiceError } from '../../../kernel/contracts/index.ts';
import { DatabaseErrors } from '../errors.ts';

interface Fault {
  errno: number;
  code: string;
  message: string;
}

/**
 * The whole transaction was rolled back, or must be, and may be repeated, also when COMMIT answers so: deadlock (also
 * Galera's certification), lock wait timeout, changed since read, re-prepare, a group that refused to certify, TiDB's
 * write conflicts, a schema that changed under the transaction, a lock that was not resolved in time.
 */
const RETRYABLE: ReadonlySet<number> = new Set([1213, 1205, 1020, 1615, 3101, 8002, 8005, 8022, 8028, 9004, 9007]);
/** A text beyond ASCII was compared with a column of ASCII, such as a name: nothing there can be equal to it. */
const COLLATIONS: ReadonlySet<number> = new Set([1267, 1270, 1271]);
/**
 * The server closed the connection or is stopping, or the client lost it. With 1180 and 8501 the server itself does not
 * know what became of a commit.
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
 * Vitess lost the connection of a transaction behind it: at a statement nothing was committed, at COMMIT nobody knows.
 * `VT09032` answers what follows.
 */
const LOST_BEHIND = /^(VT15001|VT09032): /;
/**
 * The server cannot serve now: too many connections or transactions, read-only, not ready (Galera), interrupted,
 * unknown database or user, parts of TiDB or Vitess that do not answer.
 */
const UNAVAILABLE: ReadonlySet<number> = new Set([
  1040, 1044, 1045, 1047, 1049, 1203, 1226, 1290, 1317, 1637, 1698, 1836, 3024, 3100, 3159, 3168, 8027, 9001, 9002,
  9003, 9005,
]);
/** What Vitess answers with the number 1105 ("unknown error") while a shard has no primary. */
const NO_PRIMARY =
  /no healthy tablet available|operation not allowed in state (NOT_SERVING|SHUTTING_DOWN)|^VT1400[1-3]: |code = Unavailable/;
const UNKNOWN = 1105;
/** Also what Vitess answers when it refuses transactions for a while. */
const OUT_OF_RESOURCES = 1041;
const FULL: ReadonlySet<number> = new Set([1021, 1114, OUT_OF_RESOURCES]);
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

const isThrottled = (errno: number, message: string) =>
  errno === OUT_OF_RESOURCES && message.includes('Transaction throttled');

const isUnavailable = ({ errno, message }: Fault): boolean =>
  UNAVAILABLE.has(errno) || (errno === UNKNOWN && NO_PRIMARY.test(message)) || isThrottled(errno, message);

const isFull = ({ errno, message }: Fault): boolean =>
  (FULL.has(errno) && !isThrottled(errno, message)) || /\b(error|errno:?) 28\b/i.test(message);

export function isTooManyPrepared(error: unknown): boolean {
  return faultOf(error)?.errno === TOO_MANY_PREPARED;
}

/** The connection cannot be used any more. */
export function isLost(error: unknown): boolean {
  const fault = faultOf(error);
  if (!fault) return false;
  if (LOST.has(fault.errno) || LOST_CODES.has(fault.code)) return true;
  if (fault.errno > 0 && LOST_BEHIND.test(fault.message)) return true;
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
  if (COLLATIONS.has(errno))
    return Errors.invalidRequest('a name, an id or a filter has characters that it cannot have', { cause: error });
  if (DUPLICATE.has(errno)) return DatabaseErrors.rowExists(withoutValues(message), { cause: error });
  if (isFull(fault)) return DatabaseErrors.storageFull(message, { cause: error, retryAfterMs: 5000 });
  if (RETRYABLE.has(errno)) return DatabaseErrors.busy(message, { cause: error, retryAfterMs: 1000 });
  if (isUnavailable(fault) || isLost(error) || isAcquireFailure(error))
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
