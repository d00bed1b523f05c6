import { inKeys, MAX_ROWS_PER_STATEMENT, type Queries, type Transaction } from '../../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../../platform/resources/contract.ts';
import { MAX_GRAPHS } from './graphs.ts';

/** The number of versions of a graph that are stored in addition to the published one. */
const MAX_VERSIONS = 1000;

/** The part of a version that can be read without decrypting its document. */
export interface VersionSummary {
  /** Names of credentials and the ids of the nodes that name them. */
  credentials: { [name: string]: string[] };
  /** Types of events that its nodes emit. */
  emits: string[];
}

export interface VersionEntry extends ProjectScope {
  name: string;
  version_number: number;
  revision: string;
  digest: string;
  /** A `VersionSummary` as JSON. */
  about: string;
  set_at: number;
  set_by: string | null;
}

export interface VersionRow extends VersionEntry {
  /** Sealed JSON. */
  document: Buffer;
}

type Reads = Pick<Queries, 'read'>;

const ENTRY = 'project_id, name, version_number, org_id, revision, digest, about, set_at, set_by';

export async function readVersion(
  on: Reads,
  { org_id, project_id }: ProjectScope,
  name: string,
  version_number: number,
): Promise<VersionRow | undefined> {
  const [row] = await on.read<VersionRow>(
    `SELECT ${ENTRY}, document FROM graphs_versions
     WHERE project_id = ? AND name = ? AND version_number = ? AND org_id = ?`,
    [project_id, name, version_number, org_id],
  );
  return row;
}

/** Lists the versions before a number, newest first. */
export function listVersions(
  on: Reads,
  { org_id, project_id }: ProjectScope,
  name: string,
  { before, limit }: { before: number; limit: number },
): Promise<VersionEntry[]> {
  return on.read(
    `SELECT ${ENTRY} FROM graphs_versions WHERE project_id = ? AND name = ? AND org_id = ? AND version_number < ?
     ORDER BY version_number DESC LIMIT ${Math.trunc(limit)}`,
    [project_id, name, org_id, before],
  );
}

export async function insertVersion(tx: Transaction, row: VersionRow): Promise<void> {
  await tx.write(`INSERT INTO graphs_versions (${ENTRY}, document) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, [
    row.project_id,
    row.name,
    row.version_number,
    row.org_id,
    row.revision,
    row.digest,
    row.about,
    row.set_at,
    row.set_by,
    row.document,
  ]);
}

/** Removes the oldest versions beyond the limit, but not the published one. */
export async function pruneVersions(
  tx: Transaction,
  {
    project_id,
    name,
    version_number,
    published_version,
  }: ProjectScope & {
    name: string;
    version_number: number;
    published_version: number | null;
  },
): Promise<void> {
  if (version_number <= MAX_VERSIONS) return;
  await tx.write(
    'DELETE FROM graphs_versions WHERE project_id = ? AND name = ? AND version_number <= ? AND version_number <> ?',
    [project_id, name, version_number - MAX_VERSIONS, published_version ?? 0],
  );
}

export async function removeVersions(tx: Transaction, { project_id }: ProjectScope, name: string): Promise<void> {
  await tx.write('DELETE FROM graphs_versions WHERE project_id = ? AND name = ?', [project_id, name]);
}

/** The latest version of a graph, or its published one. */
type CurrentVersion = Pick<VersionEntry, 'name' | 'version_number'>;

const PRESENT = `FROM graphs_graphs g, graphs_versions v
  WHERE g.project_id = ? AND g.org_id = ? AND v.project_id = g.project_id AND v.name = g.name`;
const LATEST_OR_PUBLISHED = 'AND (v.version_number = g.version_number OR v.version_number = g.published_version)';
const NEWEST_FIRST = 'ORDER BY g.graph_id DESC, v.version_number DESC';

/** The bytes of summaries that one statement reads. A single graph may exceed it. */
const SUMMARY_PAGE_BYTES = 128 * 1024;

/**
 * Yields the summaries of the latest and the published version of every graph, newest graph first, in pages of limited
 * size. With `holding`, only versions whose summary contains that text are read. Versions whose summary is larger than
 * the limit are skipped.
 */
export async function* listCurrentVersions(
  on: Reads,
  { org_id, project_id }: ProjectScope,
  { holding, most = Number.MAX_SAFE_INTEGER }: { holding?: string; most?: number },
): AsyncGenerator<(CurrentVersion & { about: string })[]> {
  const sized = await on.read<CurrentVersion & { bytes: number }>(
    `SELECT v.name, v.version_number, OCTET_LENGTH(v.about) AS bytes ${PRESENT} ${LATEST_OR_PUBLISHED}
       ${holding === undefined ? '' : 'AND INSTR(v.about, ?) > 0'} ${NEWEST_FIRST} LIMIT ${2 * MAX_GRAPHS}`,
    [project_id, org_id, ...(holding === undefined ? [] : [holding])],
  );
  const remaining = sized.filter(({ bytes }) => Number(bytes) <= most);
  while (remaining.length > 0) {
    const { count } = takePage(remaining, SUMMARY_PAGE_BYTES);
    yield await readSummaries(on, { org_id, project_id }, remaining.splice(0, count));
  }
}

/** Lists the latest and the published version of every graph, and the number of the latest one. */
export function listCurrent(
  on: Reads,
  { org_id, project_id }: ProjectScope,
  limit: number,
): Promise<(CurrentVersion & { revision: string; latest: number })[]> {
  return on.read(
    `SELECT v.name, v.version_number, v.revision, g.version_number AS latest ${PRESENT} ${LATEST_OR_PUBLISHED}
     ${NEWEST_FIRST} LIMIT ${Math.trunc(limit)}`,
    [project_id, org_id],
  );
}

/** Returns these versions with their documents; missing ones are left out. */
export function readVersions(
  on: Reads,
  { org_id, project_id }: ProjectScope,
  versions: readonly CurrentVersion[],
): Promise<VersionRow[]> {
  const keys = versions.map(({ name, version_number }) => ({ project_id, name, version_number }));
  const { condition, params } = inKeys(['project_id', 'name', 'version_number'], keys);
  return on.read<VersionRow>(`SELECT ${ENTRY}, document FROM graphs_versions WHERE ${condition} AND org_id = ?`, [
    ...params,
    org_id,
  ]);
}

function takePage(versions: readonly { bytes: number }[], most: number): { count: number } {
  let bytes = 0;
  const end = versions.slice(0, MAX_ROWS_PER_STATEMENT).findIndex((version, n) => {
    bytes += Number(version.bytes);
    return bytes > most && n > 0;
  });
  return { count: end < 0 ? Math.min(versions.length, MAX_ROWS_PER_STATEMENT) : end };
}

async function readSummaries(on: Reads, { org_id, project_id }: ProjectScope, versions: readonly CurrentVersion[]) {
  const keys = versions.map(({ name, version_number }) => ({ project_id, name, version_number }));
  const { condition, params } = inKeys(['project_id', 'name', 'version_number'], keys);
  const rows = await on.read<CurrentVersion & { about: string }>(
    `SELECT name, version_number, about FROM graphs_versions WHERE ${condition} AND org_id = ?`,
    [...params, org_id],
  );
  const abouts = new Map(rows.map((row) => [`${row.name} ${row.version_number}`, row.about]));
  return versions.flatMap(({ name, version_number }) => {
    const about = abouts.get(`${name} ${version_number}`);
    return about === undefined ? [] : [{ name, version_number, about }];
  });
}

/** The newest published versions of graphs, and the bytes of their documents. */
export function publishedVersions(
  on: Reads,
  { org_id, project_id }: ProjectScope,
  limit: number,
): Promise<(CurrentVersion & { bytes: number })[]> {
  return on.read(
    `SELECT v.name, v.version_number, LENGTH(v.document) AS bytes ${PRESENT} AND v.version_number = g.published_version
     ${NEWEST_FIRST} LIMIT ${Math.trunc(limit)}`,
    [project_id, org_id],
  );
}
