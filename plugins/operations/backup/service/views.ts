import { iso } from '../../../../kernel/contracts/index.ts';
import type { BackupResult } from './backup.ts';
import type { ReadResult } from './restore.ts';
import { sizeText } from './sizes.ts';

/** Summarizes a backup for JSON output. */
const summary = ({ header, counts, end }: ReadResult) => ({
  made_at: iso(header.made_at),
  svc: header.svc,
  store: header.store,
  format: header.svc_backup,
  migrations: header.migrations.length,
  master_keys: header.keys.map(({ master_id }) => master_id),
  rows: end.rows,
  tables: counts,
  artifacts: header.artifacts ? { contents: end.contents, bytes: end.content_bytes, missing: end.missing } : null,
  sha256: end.sha256,
});

const rowsText = ({ counts, end }: ReadResult) => `${end.rows} rows of ${Object.keys(counts).length} tables`;

function artifactsText({ header, end }: ReadResult): string[] {
  if (!header.artifacts) return [];
  const missing = end.missing === 0 ? '' : `; ${end.missing} were deleted during the backup`;
  return [`${end.contents} contents of artifacts, ${sizeText(end.content_bytes)}${missing}`];
}

export function backupView(result: BackupResult, file: string, bytes: number | undefined) {
  const { outside, foreign } = result;
  const lines = [
    `${file === '-' ? 'standard output' : file}: ${rowsText(result)}${bytes === undefined ? '' : `, ${sizeText(bytes)}`}`,
    ...artifactsText(result),
  ];
  if (outside.contents > 0)
    lines.push(
      `${outside.contents} contents of artifacts (${sizeText(outside.bytes)}) are not in the backup: copy their folder or bucket too, or use --artifacts`,
    );
  if (foreign.length > 0) lines.push(`tables that do not belong to svc are not in the backup: ${foreign.join(', ')}`);
  lines.push('the master key is not in the backup: keep a copy of it elsewhere');
  const json = { file, bytes: bytes ?? null, ...summary(result), artifacts_outside: outside, tables_outside: foreign };
  return { json, text: lines.join('\n') };
}

export function verifyView(file: string, result: ReadResult) {
  const { header } = result;
  const lines = [
    `${file}: whole; ${rowsText(result)}`,
    `created ${iso(header.made_at)} by svc ${header.svc} from ${header.store}, ${header.migrations.length} migrations`,
    ...(header.artifacts ? artifactsText(result) : ['contents of artifacts are not in the backup']),
    ...header.keys.map(({ master_id }) => `sealed with the master key ${master_id}`),
  ];
  return { json: { file, whole: true, ...summary(result) }, text: lines.join('\n') };
}

export function restoreView(file: string, result: ReadResult & { applied: readonly string[]; family: string }) {
  const { header, applied, family } = result;
  const lines = [
    `restored ${rowsText(result)} into ${family}, as of ${iso(header.made_at)}`,
    ...artifactsText(result),
    ...(applied.length > 0 ? [`then applied ${applied.length} later migrations`] : []),
    'start the servers again; never run them at the same time as the servers of the first database',
  ];
  return { json: { file, restored_into: family, applied, ...summary(result) }, text: lines.join('\n') };
}
