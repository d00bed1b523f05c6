import { insertRows, type Queries } from '../../../kernel/contracts/index.ts';
import type { Part } from '../domain/parts.ts';

export interface RunPlace {
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

/** Bound as bytes: MySQL's binary collations ignore trailing spaces, bytes do not. */
const bytes = (path: string): Buffer => Buffer.from(path);

const fileOf = (row: Row): ArtifactFile => ({
  ...row,
  path: Buffer.from(row.path).toString(),
  parts: JSON.parse(row.parts) as Part[],
  size: Number(row.size),
  created_at: Number(row.created_at),
  position: row.position === null ? null : Number(row.position),
});

export async function readFile(
  on: Pick<Queries, 'read'>,
  { org_id, project_id, run_id }: RunPlace,
  path: string,
): Promise<ArtifactFile | undefined> {
  const [row] = await on.read<Row>(`${SELECT} WHERE run_id = ? AND path = ? AND org_id = ? AND project_id = ?`, [
    run_id,
    bytes(path),
    org_id,
    project_id,
  ]);
  return row && fileOf(row);
}

interface FilePage {
  after?: string | undefined;
  prefix?: string | undefined;
  limit: number;
}

/** In order of the bytes of their paths, beginning after `after`; `prefix` limits them. */
export const listFiles = (on: Pick<Queries, 'read'>, run: RunPlace, page: FilePage): Promise<ArtifactFile[]> =>
  readFiles(on, run, page, SELECT);

/** The same without the names of their parts, of which one artifact may have thousands. */
export const listEntries = (
  on: Pick<Queries, 'read'>,
  run: RunPlace,
  page: FilePage,
): Promise<Omit<ArtifactFile, 'parts'>[]> => readFiles(on, run, page, SELECT.replace('parts', "'[]' AS parts"));

async function readFiles(
  on: Pick<Queries, 'read'>,
  { org_id, project_id, run_id }: RunPlace,
  { after = '', prefix = '', limit }: FilePage,
  select: string,
): Promise<ArtifactFile[]> {
  const [from, to] = [bytes(prefix), Buffer.concat([bytes(prefix), Buffer.from([0xff])])];
  const rows = await on.read<Row>(
    `${select} WHERE run_id = ? AND org_id = ? AND project_id = ? AND path > ? AND path >= ? AND path < ?
     ORDER BY path LIMIT ${Math.trunc(limit)}`,
    [run_id, org_id, project_id, bytes(after), from, to],
  );
  return rows.map(fileOf);
}

/** Of a run, up to `most`: the database counts, and looks no further. */
export async function countFiles(on: Pick<Queries, 'read'>, run_id: string, most: number): Promise<number> {
  const [row] = await on.read<{ n: number }>(
    `SELECT COUNT(*) AS n FROM (SELECT 1 AS one FROM artifacts_files WHERE run_id = ? LIMIT ${Math.trunc(most)}) counted`,
    [run_id],
  );
  return Number(row!.n);
}

/** The path must be free. */
export async function insertFiles(
  on: Pick<Queries, 'write'>,
  { run_id, org_id, project_id }: RunPlace,
  files: readonly ArtifactFile[],
): Promise<void> {
  const rows = files.map((file) => [
    ...[run_id, org_id, project_id, bytes(file.path), file.blob_id, file.store, JSON.stringify(file.parts)],
    ...[file.size, file.digest, file.created_at, file.activity_id, file.position],
  ]);
  await insertRows(on, 'INSERT INTO artifacts_files', ALL, rows);
}

/** The parts of a content, by any artifact that has it; undefined when none has. */
export async function partsOf(on: Pick<Queries, 'read'>, blob_id: string): Promise<readonly Part[] | undefined> {
  const [row] = await on.read<{ parts: string }>('SELECT parts FROM artifacts_files WHERE blob_id = ? LIMIT 1', [
    blob_id,
  ]);
  return row && (JSON.parse(row.parts) as Part[]);
}

const RUNS_AT_ONCE = 100;

/** The next runs between two ids, without these, that have artifacts. */
export function runsWithFiles(on: Pick<Queries, 'read'>, after: string, before: string): Promise<RunPlace[]> {
  return on.read<RunPlace>(
    `SELECT DISTINCT run_id, org_id, project_id FROM artifacts_files WHERE run_id > ? AND run_id < ?
     ORDER BY run_id LIMIT ${RUNS_AT_ONCE}`,
    [after, before],
  );
}

const CONTENTS_AT_ONCE = 500;

/** The next contents by id, without this one: a content that several artifacts share comes once. */
export async function contentsAfter(on: Pick<Queries, 'read'>, after: string): Promise<Content[]> {
  const rows = await on.read<Omit<Content, 'parts'> & { parts: string }>(
    `SELECT blob_id, store, parts, size, digest FROM artifacts_files WHERE blob_id > ?
     ORDER BY blob_id LIMIT ${CONTENTS_AT_ONCE}`,
    [after],
  );
  return rows.map((row) => ({ ...row, parts: JSON.parse(row.parts) as Part[], size: Number(row.size) }));
}
