import {
  type Database,
  decodeCursor,
  Errors,
  failpoint,
  type Ids,
  pageOf,
  retryUnknownCommit,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import type { Audit, AuditSource } from '../../../platform/audit/contract.ts';
import type { Prunable } from '../../../platform/retention/contract.ts';
import { ofTrust } from '../../../engine/runs/contract.ts';
import { ArtifactErrors } from '../errors.ts';
import {
  type Cache,
  type CacheScope,
  deleteCache,
  insertCache,
  listCaches,
  listExcess,
  listUnused,
  readCache,
  readNewestCache,
  touchCache,
} from '../store/cache-rows.ts';
import { removeUploads, scheduleContent } from '../store/publish.ts';
import { readUploads } from '../store/upload-rows.ts';
import { CONTINUED, type UploadScope, type Uploads } from './uploads.ts';

/** Maximum caches of a project for each kind of trust. */
const MAX_CACHES = 1000;
/** Uses within this time are recorded once. */
const USE_INTERVAL_MS = 3_600_000;

export interface CacheDeps {
  database: Database;
  ids: Ids;
  audit: Audit;
  uploads: Uploads;
}

export type CacheView = Omit<Cache, 'parts'>;

/**
 * Archives that the runs of a project save under keys and restore later. A key is saved once; the least recently used
 * caches make room for new ones. Trusted and untrusted runs never share a cache.
 */
export class Caches {
  readonly #deps: CacheDeps;

  constructor(deps: CacheDeps) {
    this.#deps = deps;
  }

  /**
   * Finds the cache with this key for an activity, or with `prefix` the newest whose key begins with it, and records the
   * use. Throws `not_found`, `lease_lost`.
   */
  async find(scope: UploadScope, key: string, { prefix }: { prefix: boolean }): Promise<Cache> {
    const { database, uploads } = this.#deps;
    return database.transaction(async (tx) => {
      const { trusted } = await uploads.lockOwner(tx, scope);
      const cache_scope = { ...scope, trusted };
      const cache = prefix ? await readNewestCache(tx, cache_scope, key) : await readCache(tx, cache_scope, key);
      if (!cache) throw Errors.notFound(`the project has no cache ${key}${prefix ? '…' : ''}`);
      const now = database.now();
      if (cache.used_at <= now - USE_INTERVAL_MS)
        await touchCache(tx, cache_scope, cache.key, { now, unless_after: now - USE_INTERVAL_MS });
      return cache;
    });
  }

  /**
   * Saves a complete upload of an activity under a key. Returns false if the key is taken: the first one stays. Throws
   * `lease_lost`, `artifact_upload_taken`, `cache_too_large`.
   */
  async save(scope: UploadScope, key: string, upload_id: string): Promise<boolean> {
    const { database, ids, uploads } = this.#deps;
    const saved = await retryUnknownCommit((is_retry) =>
      database.transaction(async (tx) => {
        const { trusted, limits } = await uploads.lockOwner(tx, scope);
        const cache_scope = { ...scope, trusted };
        const upload = (await readUploads(tx, [upload_id])).get(upload_id);
        const is_own =
          upload?.complete && upload.run_id === scope.run_id && upload.activity_id === scope.claim?.activity_id;
        if (!upload || !is_own || !(await removeUploads(tx, [upload]))) {
          if (is_retry && (await readCache(tx, cache_scope, key))?.blob_id === upload_id) return true;
          throw ArtifactErrors.uploadTaken(CONTINUED);
        }
        const now = database.now();
        const limit = ofTrust(limits.project, trusted).cache;
        const { store, parts } = upload;
        const content = { blob_id: upload_id, store, parts, size: upload.size!, digest: upload.digest! };
        if (content.size > limit) {
          // Nobody needs the upload any more.
          await scheduleContent(tx, scope, content, { ids, now });
          return ArtifactErrors.cacheTooLarge(
            `the cache is ${content.size} bytes long, more than all ${trusted ? '' : 'untrusted '}caches of the project can have`,
            { data: { limit_bytes: limit } },
          );
        }
        const cache = { key, run_id: scope.run_id, created_at: now, used_at: now, ...content };
        const is_saved = await insertCache(tx, cache_scope, cache);
        if (!is_saved) await scheduleContent(tx, scope, content, { ids, now });
        if (upload.garbage.length > 0) await scheduleContent(tx, scope, content, { ids, now, names: upload.garbage });
        if (is_saved) await this.#evict(tx, cache_scope, key, { bytes: limit, now });
        failpoint('artifacts.cache-saved');
        return is_saved;
      }),
    );
    if (saved instanceof Error) throw saved;
    return saved;
  }

  async #evict(tx: Transaction, scope: CacheScope, spared: string, { bytes, now }: { bytes: number; now: number }) {
    for (const cache of await listExcess(tx, scope, spared, { bytes, count: MAX_CACHES }))
      await this.#remove(tx, scope, cache, now);
  }

  async #remove(tx: Transaction, scope: { project_id: string }, cache: Cache, now: number): Promise<boolean> {
    if (!(await deleteCache(tx, scope, cache))) return false;
    await scheduleContent(tx, { ...scope, run_id: cache.run_id }, cache, { ids: this.#deps.ids, now });
    return true;
  }

  async list(scope: Omit<CacheScope, 'trusted'>, { limit, cursor }: { limit: number; cursor: string | undefined }) {
    const after = decodeCursor(cursor, 'number', 'text');
    const rows = await listCaches(this.#deps.database, scope, { after, limit: limit + 1 });
    return pageOf(rows, limit, ({ trusted, key }) => [trusted ? 0 : 1, key]);
  }

  /** Removes the caches with this key, of trusted and of untrusted runs. Throws `not_found`. */
  async remove(scope: Omit<CacheScope, 'trusted'>, key: string, by: AuditSource): Promise<void> {
    const { database, audit } = this.#deps;
    const { org_id, project_id } = scope;
    await retryUnknownCommit((is_retry) =>
      database.transaction(async (tx) => {
        let removed = 0;
        for (const trusted of [true, false]) {
          const cache = await readCache(tx, { ...scope, trusted }, key);
          if (cache && (await this.#remove(tx, scope, cache, database.now()))) removed += 1;
        }
        if (removed === 0 && !is_retry) throw Errors.notFound(`the project has no cache ${key}`);
        await audit.record(tx, { ...by, org_id, project_id, action: 'cache.delete', subject: key });
      }),
    );
  }

  /** Implements `caches=7d` of SVC_RETENTION. */
  readonly prunable: Prunable = {
    name: 'caches',
    summary: 'caches that no run has restored or saved since',
    prune: (before, limit) => this.#prune(before, limit),
  };

  async *#prune(before: number, limit: number): AsyncGenerator<number, void> {
    for (let removed = limit; removed >= limit; ) {
      removed = await this.#deps.database.transaction(async (tx) => {
        const unused = await listUnused(tx, before, limit);
        for (const cache of unused) await this.#remove(tx, cache, cache, this.#deps.database.now());
        return unused.length;
      });
      yield removed;
    }
  }
}
