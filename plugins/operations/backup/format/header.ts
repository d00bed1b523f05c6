import type { StoredContent } from '../../../execution/artifacts/contract.ts';
import { type CopiedTable, CopyErrors } from '../../../platform/database/contract.ts';
import type { KeyProof } from '../../../security/vault/contract.ts';

/** The version of the format. A reader rejects later ones. */
export const FORMAT = 1;

/** The first line of a backup. */
export interface BackupHeader {
  svc_backup: number;
  /** The version of svc that wrote the backup. */
  svc: string;
  /** The time at which the backup was written, in milliseconds since the epoch. */
  made_at: number;
  store: 'sqlite' | 'mysql';
  /** Migrations that were applied, `runs/0001-runs`. */
  migrations: readonly string[];
  tables: readonly CopiedTable[];
  /** Proofs that identify the master keys. The keys themselves are not in a backup. */
  keys: readonly KeyProof[];
  /** Do contents of artifacts follow the rows? */
  artifacts: boolean;
}

/** The last line of a backup. A file without it is incomplete. */
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

/** The beginning of a line that is not a row. */
export type Marker =
  | { table: string }
  | { table_end: string; rows: number; sha256: string }
  | { content: StoredContent }
  | BackupEnd;

export const headerLine = (header: BackupHeader): string =>
  `${JSON.stringify({
    ...header,
    keys: header.keys.map(({ master_id, check_value }) => ({ master_id, check_value: check_value.toString('base64') })),
  })}\n`;

export const markerLine = (marker: Marker): string => `${JSON.stringify(marker)}\n`;

const isText = (value: unknown): value is string => typeof value === 'string';
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
const NAME = /^[a-z][a-z0-9_]{0,63}$/;

/** Throws `backup_damaged`, also for a file of something else, and `backup_newer` for a later format. */
export function readHeader(line: unknown): BackupHeader {
  const { svc_backup, svc, made_at, store, migrations, tables, keys, artifacts } = (line ?? {}) as Record<
    string,
    unknown
  >;
  if (typeof svc_backup !== 'number') throw CopyErrors.damaged('it does not begin with the header of an svc backup');
  if (svc_backup > FORMAT) throw CopyErrors.newer(`its format is ${svc_backup}, but this svc supports ${FORMAT}`);
  const is_complete =
    isText(svc) &&
    typeof made_at === 'number' &&
    (store === 'sqlite' || store === 'mysql') &&
    isTexts(migrations) &&
    typeof artifacts === 'boolean';
  if (!is_complete) throw CopyErrors.damaged('its first line is incomplete');
  return { svc_backup, svc, made_at, store, migrations, artifacts, tables: readTables(tables), keys: readKeys(keys) };
}

function readTables(value: unknown): CopiedTable[] {
  const damaged = () => CopyErrors.damaged('its first line lists no tables');
  if (!Array.isArray(value)) throw damaged();
  return value.map((table: unknown) => {
    const { name, columns } = (table ?? {}) as Record<string, unknown>;
    // They become part of statements.
    if (!isText(name) || !isTexts(columns) || ![name, ...columns].every((one) => NAME.test(one))) throw damaged();
    return { name, columns };
  });
}

function readKeys(value: unknown): KeyProof[] {
  if (!Array.isArray(value)) throw CopyErrors.damaged('its first line lists no keys');
  return value.map((key: unknown) => {
    const { master_id, check_value } = (key ?? {}) as Record<string, unknown>;
    if (!isText(master_id) || !isText(check_value)) throw CopyErrors.damaged('its first line lists no keys');
    return { master_id, check_value: Buffer.from(check_value, 'base64') };
  });
}
