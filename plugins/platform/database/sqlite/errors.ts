import { isServiceError, type ServiceError } from '../../../../kernel/contracts/index.ts';
import { DatabaseErrors } from '../errors.ts';

/** SQLite's primary result codes. The higher bits of a code refine them. */
const CODE = { busy: 5, locked: 6, readonly: 8, io: 10, corrupt: 11, full: 13, open: 14, constraint: 19, not_a_db: 26 };
/** The extended codes of a duplicate key: primary key, unique index, rowid. */
const DUPLICATE_KEY: ReadonlySet<number> = new Set([1555, 2067, 2579]);

/** Returns the extended result code of a node:sqlite error; undefined for any other error. */
export function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode : undefined;
}

export function isBusy(error: unknown): boolean {
  const primary = (resultCode(error) ?? 0) & 0xff;
  return primary === CODE.busy || primary === CODE.locked;
}

/** True when the outcome of a failed COMMIT is unknown, because its pages may have reached the disk. */
export function isUncertain(error: unknown): boolean {
  return ((resultCode(error) ?? 0) & 0xff) === CODE.io;
}

/** Converts an error of SQLite to a coded one. An error that has no code of ours is returned unchanged. */
export function toServiceError(error: unknown): unknown {
  if (isServiceError(error)) return error;
  const code = resultCode(error);
  if (code === undefined) return error;
  return fromResultCode(code, (error as Error).message, error) ?? error;
}

function fromResultCode(code: number, text: string, cause: unknown): ServiceError | undefined {
  if (DUPLICATE_KEY.has(code)) return DatabaseErrors.rowExists(text, { cause });
  switch (code & 0xff) {
    case CODE.full:
      return DatabaseErrors.storageFull(text, { cause, retryAfterMs: 5000 });
    case CODE.corrupt:
    case CODE.not_a_db:
      return DatabaseErrors.corrupt(text, { cause });
    case CODE.busy:
    case CODE.locked:
      return DatabaseErrors.busy(text, { cause, retryAfterMs: 1000 });
    case CODE.open:
    case CODE.io:
    case CODE.readonly:
      return DatabaseErrors.unavailable(text, { cause, retryAfterMs: 1000 });
    default:
      return undefined;
  }
}
