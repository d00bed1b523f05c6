import type { Queries, Transaction } from '../../../../kernel/contracts/index.ts';
import type { Part } from '../domain/parts.ts';
import type { Content } from './file-rows.ts';

/** The caches of a project that runs of one kind of trust share. */
export interface CacheScope {
  org_id: string;
  project_id: string;
  trusted: boolean;
}

export interface Cache extends Content {
  key: string;
  trusted: boolean;
  run_id: string;
  created_at: number;
  used_at: number;
}

type Row = Omit<Cache, 'key' | 'trusted' | 'parts'> & { cache_key: Buffer; trusted: number; parts: string };

const COLUMNS = 'cache_key, trusted, run_id, blob_id, store, size, digest, created_at, used_at, parts';
const IN_SCOPE = 'project_id = ? AND trusted = ?';

const scopeParams = ({ project_id, trusted }: CacheScope): [string, number] => [project_id, trusted ? 1 : 0];

const toCache = ({ cache_key, ...row }: Row): Cache => ({
  ...row,
  key: Buffer.from(cache_key).toString(),
  trusted: Number(row.trusted) === 1,
  size: Number(row.size),
  created_at: Number(row.created_at),
  used_at: Number(row.used_at),
  parts: JSON.parse(row.parts) as Part[],
});

export async function readCache(on: Pick<Queries, 'read'>, scope: CacheScope, key: string): Promise<Cache | undefined> {
  const [row] = await on.read<Row>(`SELECT ${COLUMNS} FROM artifacts_caches WHERE ${IN_SCOPE} AND cache_key = ?`, [
    ...scopeParams(scope),
    Buffer.from(key),
  ]);
  return row && toCache(row);
}

/** Returns the newest cache whose key begins with `prefix`. */
export async function readNewestCache(
  on: Pick<Queries, 'read'>,
  scope: CacheScope,
  prefix: string,
): Promise<Cache | undefined> {
  const from = Buffer.from(prefix);
  const [newest] = await on.read<{ cache_key: Buffer }>(
    `SELECT cache_key FROM artifacts_caches WHERE ${IN_SCOPE} AND cache_key >= ? AND cache_key < ?
     ORDER BY created_at DESC, cache_key DESC LIMIT 1`,
    [...scopeParams(scope), from, Buffer.concat([from, Buffer.from([0xff])])],
  );
  return newest && readCache(on, scope, Buffer.from(newest.cache_key).toString());
}

/** Inserts a cache. Returns false if its key is taken. */
export async function insertCache(tx: Transaction, scope: CacheScope, cache: Omit<Cache, 'trusted'>): Promise<boolean> {
  const inserted = await tx.write(
    `${tx.sql.insert_ignore} artifacts_caches (project_id, trusted, cache_key, org_id, run_id, blob_id, store, size, digest,
       created_at, used_at, parts) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      ...scopeParams(scope),
      Buffer.from(cache.key),
      scope.org_id,
      cache.run_id,
      cache.blob_id,
      cache.store,
      cache.size,
      cache.digest,
      cache.created_at,
      cache.used_at,
      JSON.stringify(cache.parts),
    ],
  );
  return inserted === 1;
}

/** Records a use, unless one was recorded after `unless_after`. */
export async function touchCache(
  on: Pick<Queries, 'write'>,
  scope: CacheScope,
  key: string,
  { now, unless_after }: { now: number; unless_after: number },
): Promise<void> {
  await on.write(`UPDATE artifacts_caches SET used_at = ? WHERE ${IN_SCOPE} AND cache_key = ? AND used_at <= ?`, [
    now,
    ...scopeParams(scope),
    Buffer.from(key),
    unless_after,
  ]);
}

/** What has to go so that the others have at most so many bytes and rows: the least recently used, but never `spared`. */
export async function listExcess(
  tx: Pick<Transaction, 'read'>,
  scope: CacheScope,
  spared: string,
  limits: { bytes: number; count: number },
): Promise<Cache[]> {
  const rows = await tx.read<{ cache_key: Buffer; size: number }>(
    `SELECT cache_key, size FROM artifacts_caches WHERE ${IN_SCOPE} ORDER BY used_at DESC, cache_key`,
    scopeParams(scope),
  );
  const excess: string[] = [];
  let bytes = 0;
  let count = 0;
  const keys = rows.map((row) => ({ key: Buffer.from(row.cache_key).toString(), size: Number(row.size) }));
  for (const { key, size } of [
    ...keys.filter(({ key }) => key === spared),
    ...keys.filter(({ key }) => key !== spared),
  ]) {
    bytes += size;
    count += 1;
    if (key !== spared && (bytes > limits.bytes || count > limits.count)) excess.push(key);
  }
  const caches = await Promise.all(excess.map((key) => readCache(tx, scope, key)));
  return caches.filter((cache) => cache !== undefined);
}

/** Deletes a cache, unless it is another one by now. Returns whether it was there. */
export async function deleteCache(
  tx: Pick<Transaction, 'write'>,
  { project_id }: Pick<CacheScope, 'project_id'>,
  { key, trusted, blob_id }: Pick<Cache, 'key' | 'trusted' | 'blob_id'>,
): Promise<boolean> {
  const deleted = await tx.write(`DELETE FROM artifacts_caches WHERE ${IN_SCOPE} AND cache_key = ? AND blob_id = ?`, [
    project_id,
    trusted ? 1 : 0,
    Buffer.from(key),
    blob_id,
  ]);
  return deleted === 1;
}

/** Lists the caches of a project, ordered by key, those of trusted runs first. */
export async function listCaches(
  on: Pick<Queries, 'read'>,
  scope: Omit<CacheScope, 'trusted'>,
  { after, limit }: { after: readonly [untrusted: number, key: string] | undefined; limit: number },
): Promise<Omit<Cache, 'parts'>[]> {
  const [untrusted, key] = after ?? [0, ''];
  if (untrusted === 1) return listInScope(on, { ...scope, trusted: false }, key, limit);
  const trusted_caches = await listInScope(on, { ...scope, trusted: true }, key, limit);
  const remaining = limit - trusted_caches.length;
  if (remaining === 0) return trusted_caches;
  return [...trusted_caches, ...(await listInScope(on, { ...scope, trusted: false }, '', remaining))];
}

async function listInScope(
  on: Pick<Queries, 'read'>,
  scope: CacheScope,
  after: string,
  limit: number,
): Promise<Omit<Cache, 'parts'>[]> {
  const rows = await on.read<Row>(
    `SELECT ${COLUMNS.replace('parts', "'[]' AS parts")} FROM artifacts_caches
     WHERE ${IN_SCOPE} AND cache_key > ? AND org_id = ? ORDER BY cache_key LIMIT ${Math.trunc(limit)}`,
    [...scopeParams(scope), Buffer.from(after), scope.org_id],
  );
  return rows.map(toCache);
}

/** Lists caches that were last used before a time, the longest unused first. */
export async function listUnused(
  on: Pick<Queries, 'read'>,
  before: number,
  limit: number,
): Promise<(Cache & { project_id: string })[]> {
  const rows = await on.read<Row & { project_id: string }>(
    `SELECT project_id, ${COLUMNS} FROM artifacts_caches WHERE used_at < ? ORDER BY used_at LIMIT ${Math.trunc(limit)}`,
    [before],
  );
  return rows.map((row) => ({ ...toCache(row), project_id: row.project_id }));
}
