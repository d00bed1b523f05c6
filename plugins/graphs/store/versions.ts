import type { Queries, Transaction } from '../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../resources/contract.ts';

/** Versions of a graph that are kept beside the published one. */
const MAX_VERSIONS = 1000;

/** What is told of a version without opening it. */
export interface About {
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
  /** JSON: `About`. */
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

/** Newest first, those before a number. */
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
    ...[row.project_id, row.name, row.version_number, row.org_id, row.revision, row.digest, row.about],
    ...[row.set_at, row.set_by, row.document],
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

/** The latest version of every graph and the published ones, newest graph first; `holding`: only those with this in `about`. */
export function presentVersions(
  on: Reads,
  { org_id, project_id }: ProjectScope,
  holding?: string,
): Promise<Pick<VersionEntry, 'name' | 'version_number' | 'about'>[]> {
  return on.read(
    `SELECT v.name, v.version_number, v.about FROM graphs_graphs g, graphs_versions v
     WHERE g.project_id = ? AND g.org_id = ? AND v.project_id = g.project_id AND v.name = g.name
       AND (v.version_number = g.version_number OR v.version_number = g.published_version)
       ${holding === undefined ? '' : 'AND INSTR(v.about, ?) > 0'}
     ORDER BY g.graph_id DESC, v.version_number DESC`,
    [project_id, org_id, ...(holding === undefined ? [] : [holding])],
  );
}
