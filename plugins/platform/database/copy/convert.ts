import { isUtf8 } from 'node:buffer';
import type { Param } from '../../../../kernel/contracts/index.ts';
import type { CopiedRow, CopiedValue } from '../contract/copies.ts';
import { CopyErrors } from '../contract/copy-errors.ts';

export type ColumnKind = 'text' | 'bytes' | 'integer';

/** Returns the kind of a column from the type that either database reports. */
export function kindOf(type: string): ColumnKind {
  if (/blob|binary/i.test(type)) return 'bytes';
  return /int/i.test(type) ? 'integer' : 'text';
}

export interface TargetColumn {
  name: string;
  kind: ColumnKind;
  /** NOT NULL. */
  required: boolean;
}

/**
 * Converts the values of a row for these columns. SQLite takes every value that it once held. Throws `backup_value_refused`,
 * whose message names the column and never the value.
 */
export const convertRow = (
  { family, table, columns }: { family: 'sqlite' | 'mysql'; table: string; columns: readonly TargetColumn[] },
  row: CopiedRow,
): Param[] =>
  row.map((value, index) => {
    const { name, kind, required } = columns[index]!;
    // Old rows on MySQL have NULL where SQLite has 0.
    if (value === null) return required && kind === 'integer' ? 0 : null;
    if (family === 'sqlite') return typeof value === 'bigint' ? String(value) : value;
    return convert(`${table}.${name}`, kind, value);
  });

function convert(column: string, kind: ColumnKind, value: string | number | bigint | Buffer): Param {
  if (kind === 'integer') return toInteger(column, value);
  if (kind === 'bytes') return Buffer.isBuffer(value) ? value : Buffer.from(String(value));
  if (!Buffer.isBuffer(value)) return String(value);
  if (!isUtf8(value))
    throw CopyErrors.valueRefused(`${column} is text in the database, but the backup has other bytes`);
  return value.toString();
}

/** A bigint is bound as text, which both databases convert exactly in an integer column. */
function toInteger(column: string, value: CopiedValue): Param {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  if (typeof value === 'string' && /^-?\d{1,19}$/.test(value)) return value;
  throw CopyErrors.valueRefused(`${column} is a whole number in the database, but not in the backup`);
}
