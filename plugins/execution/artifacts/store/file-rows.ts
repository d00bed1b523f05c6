import { insertRows, type Queries } from '../../../../kernel/contracts/index.ts';
import type { Part } from '../domain/parts.ts';

export interface RunScope {
  org_id: string;
  project_id: string;
  run_id: string;
}

/** The content of an artifact, and where it is stored. */
export interface Content {
  blob_id: string;
  store: string;
  parts: readonly Part[];
  size: number;
  /** SHA-256 in hex. */
  digest: string;
}

export interface ArtifactFile extends Content {
  path: string;
  created_at: number;
  /** The activity that made it, and the call of a script that put it; null for a person. */
  activity_id: string | null;
  position: number | null;
}

interface Row {
  path: Buffer;
  blob_id: string;
  store: string;
  parts: string;
  size: number;
  digest: string;
  created_at: number;
  activity_id: string | null;
  position: number | null;
}

const COLUMNS = ['path', 'blob_id', 'store', 'parts', 'size', 'digest', 'created_at', 'activity_id', 'position'];
const ALL = ['run_id', 'org_id', 'project_id', ...COLUMNS];
const SELECT = `SELECT ${COLUMNS.join(', ')} FROM artifacts_files`;

/** Bound as bytes, because MySQL's binary collations ignore trailing spaces in texts. */
const bytes = (path: string): Buffer => Buffer.from(path);

const toFile = (row: Row): ArtifactFile => ({
  ...row,
  path: Buffer.from(row.path).toString(),
  parts: JSON.parse(row.parts) as Part[],
  size: Number(row.size),
  created_at: Number(row.created_at),
  position: row.position === null ? null : Number(row.position),
});

export async function readFile(
  on: Pick<Queries, 'read'>,
  { org_id, project_id, run_id }: RunScope,
  path: string,
): Promise<ArtifactFile | undefined> {
  const [row] = await on.read<Row>(`${SELECT} WHERE run_id = ? AND path = ? AND org_id = ? AND project_id = ?`, [
    run_id,
    bytes(path),
    org_id,
    project_id,
  ]);
  return row && toFile(row);
}

interface FilePage {
  after?: string | undefined;
  prefix?: string | undefined;
  limit: number;
}

/** Lists artifacts in the byte order of their paths, starting after `after`; `prefix` filters them. */
export const listFiles = (on: Pick<Queries, 'read'>, run: RunScope, page: FilePage): Promise<ArtifactFile[]> =>
  readFiles(on, run, page, SELECT);

/** Lists artifacts without the names of their parts, of which one artifact may have thousands. */
export const listEntries = (
  on: Pick<Queries, 'read'>,
  run: RunScope,
  page: FilePage,
): Promise<Omit<ArtifactFile, 'parts'>[]> => readFiles(on, run, page, SELECT.replace('parts', "'[]' AS parts"));

async function readFiles(
  on: Pick<Queries, 'read'>,
  { org_id, project_id, run_id }: RunScope,
  { after = '', prefix = '', limit }: FilePage,
  select: string,
): Promise<ArtifactFile[]> {
  const from = bytes(prefix);
  const to = Buffer.concat([from, Buffer.from([0xff])]);
  const rows = await on.read<Row>(
    `${select} WHERE run_id = ? AND org_id = ? AND project_id = ? AND path > ? AND path >= ? AND path < ?
     ORDER BY path LIMIT ${Math.trunc(limit)}`,
    [run_id, org_id, project_id, bytes(after), from, to],
  );
  return rows.map(toFile);
}

/** Counts the artifacts of a run, up to `most`. */
export async function countFiles(on: Pick<Queries, 'read'>, run_id: string, limit: number): Promise<number> {
  const [row] = await on.read<{ n: number }>(
    `SELECT COUNT(*) AS n FROM (SELECT 1 AS one FROM artifacts_files WHERE run_id = ? LIMIT ${Math.trunc(limit)}) counted`,
    [run_id],
  );
  return Number(row!.n);
}

/** Inserts artifacts. Their paths must be free. */
export async function insertFiles(
  on: Pick<Queries, 'write'>,
  { run_id, org_id, project_id }: RunScope,
  files: readonly ArtifactFile[],
): Promise<void> {
  const rows = files.map((file) => [
    run_id,
    org_id,
    project_id,
    bytes(file.path),
    file.blob_id,
    file.store,
    JSON.stringify(file.parts),
    file.size,
    file.digest,
    file.created_at,
    file.activity_id,
    file.position,
  ]);
  await insertRows(on, 'INSERT INTO artifacts_files', ALL, rows);
}

/** Returns the parts of a content from any artifact or cache that has it, or undefined if none has. */
export async function readParts(on: Pick<Queries, 'read'>, blob_id: string): Promise<readonly Part[] | undefined> {
  for (const table of ['artifacts_files', 'artifacts_caches']) {
    const [row] = await on.read<{ parts: string }>(`SELECT parts FROM ${table} WHERE blob_id = ? LIMIT 1`, [blob_id]);
    if (row) return JSON.parse(row.parts) as Part[];
  }
  return undefined;
}

const RUNS_PAGE = 100;

/** Returns the next runs with artifacts between two ids, excluding both. */
export function listRunsWithFiles(on: Pick<Queries, 'read'>, after: string, before: string): Promise<RunScope[]> {
  return on.read<RunScope>(
    `SELECT DISTINCT run_id, org_id, project_id FROM artifacts_files WHERE run_id > ? AND run_id < ?
     ORDER BY run_id LIMIT ${RUNS_PAGE}`,
    [after, before],
  );
}

const CONTENTS_PAGE = 500;

/** Returns the next contents by id, excluding `after`. A content that several artifacts share is returned for each. */
export async function listContentsAfter(on: Pick<Queries, 'read'>, after: string): Promise<Content[]> {
  const rows = await on.read<Omit<Content, 'parts'> & { parts: string }>(
    `SELECT blob_id, store, parts, size, digest FROM artifacts_files WHERE blob_id > ?
     ORDER BY blob_id LIMIT ${CONTENTS_PAGE}`,
    [after],
  );
  return rows.map((row) => ({ ...row, parts: JSON.parse(row.parts) as Part[], size: Number(row.size) }));
}
