import type { StoredContent } from '../../artifacts/contract.ts';
import { type CopiedTable, CopyErrors } from '../../database/contract.ts';
import type { KeyProof } from '../../vault/contract.ts';

/** Of the format. A reader refuses what it does not know. */
export const FORMAT = 1;

/** The first line. */
export interface BackupHeader {
  svc_backup: number;
  /** Version of svc that made it. */
  svc: string;
  /** Epoch milliseconds of the process that made it. */
  made_at: number;
  store: 'sqlite' | 'mysql';
  /** Migrations that were applied, `runs/0001-runs`. */
  migrations: readonly string[];
  tables: readonly CopiedTable[];
  /** What tells the master key from others; the key itself is not in a backup. */
  keys: readonly KeyProof[];
  /** Do contents of artifacts follow the rows? */
  artifacts: boolean;
}

/** The last line. Without it a file is not whole. */
export interface BackupEnd {
  end: true;
  rows: number;
  contents: number;
  content_bytes: number;
  /** Contents that could not be read, though their rows are there. */
  missing: number;
  /** SHA-256 of all lines and contents before this line, in hex. */
  sha256: string;
}

/** What stands at the beginning of a line that is no row. */
export type Mark =
  | { table: string }
  | { table_end: string; rows: number; sha256: string }
  | { content: StoredContent }
  | BackupEnd;

export const headerLine = (header: BackupHeader): string =>
  `${JSON.stringify({
    ...header,
    keys: header.keys.map(({ master_id, check_value }) => ({ master_id, check_value: check_value.toString('base64') })),
  })}\n`;

export const markLine = (mark: Mark): string => `${JSON.stringify(mark)}\n`;

const isText = (value: unknown): value is string => typeof value === 'string';
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
const NAME = /^[a-z][a-z0-9_]{0,63}$/;

/** Throws `backup_damaged`, also for a file of something else, and `backup_newer` for a later format. */
export function readHeader(line: unknown): BackupHeader {
  const { svc_backup, svc, made_at, store, migrations, tables, keys, artifacts } = (line ?? {}) as Record<
    string,
    unknown
  >;
  if (typeof svc_backup !== 'number') throw CopyErrors.damaged('it does not begin as a backup of svc does');
  if (svc_backup > FORMAT) throw CopyErrors.newer(`its format is ${svc_backup}, and this svc knows ${FORMAT}`);
  const whole =
    isText(svc) &&
    typeof made_at === 'number' &&
    (store === 'sqlite' || store === 'mysql') &&
    isTexts(migrations) &&
    typeof artifacts === 'boolean';
  if (!whole) throw CopyErrors.damaged('its first line is not whole');
  return { svc_backup, svc, made_at, store, migrations, artifacts, tables: readTables(tables), keys: readKeys(keys) };
}

function readTables(given: unknown): CopiedTable[] {
  const fault = () => CopyErrors.damaged('its first line names no tables');
  if (!Array.isArray(given)) throw fault();
  return given.map((table: unknown) => {
    const { name, columns } = (table ?? {}) as Record<string, unknown>;
    // They become part of statements.
    if (!isText(name) || !isTexts(columns) || ![name, ...columns].every((one) => NAME.test(one))) throw fault();
    return { name, columns };
  });
}

function readKeys(given: unknown): KeyProof[] {
  if (!Array.isArray(given)) throw CopyErrors.damaged('its first line names no keys');
  return given.map((key: unknown) => {
    const { master_id, check_value } = (key ?? {}) as Record<string, unknown>;
    if (!isText(master_id) || !isText(check_value)) throw CopyErrors.damaged('its first line names no keys');
    return { master_id, check_value: Buffer.from(check_value, 'base64') };
  });
}
