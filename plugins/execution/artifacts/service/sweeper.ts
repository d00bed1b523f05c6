import {
  type Database,
  eachOf,
  inPages,
  type Ids,
  type Log,
  type IterationResult,
  WorkLoop,
  type Clock,
} from '../../../../kernel/contracts/index.ts';
import { partNames } from '../domain/parts.ts';
import { readParts } from '../store/file-rows.ts';
import { discard } from '../store/publish.ts';
import {
  type DueRemoval,
  listDueRemovals,
  deleteRemovals,
  readNextDue,
  postpone,
  type Removal,
} from '../store/removal-rows.ts';
import { type StaleUpload, listStaleUploads } from '../store/upload-rows.ts';
import type { PartStore } from '../stores/part-store.ts';
import type { PartStores } from './part-stores.ts';

/** An upload to which nothing was added for this long is abandoned. */
export const STALE_MS = 24 * 3_600_000;
const BATCH = 100;
const POSTPONE_MS = 60_000;
const POLL = { min_ms: 5000, max_ms: 60_000 };

export interface SweeperDeps {
  database: Database;
  ids: Ids;
  stores: PartStores;
  clock: Clock;
  log: Log;
  onRemoved: (parts: number) => void;
}

/**
 * Removes what no row names any more. It never searches for files: every file is named by the row of its upload from
 * the start, and by a removal row once it can go. Any number of servers may do this at the same time.
 */
export class Sweeper {
  readonly #deps: SweeperDeps;

  constructor(deps: SweeperDeps) {
    this.#deps = deps;
  }

  start(): () => Promise<void> {
    const { clock, log } = this.#deps;
    const messages = { failing: 'removing artifacts failed; retrying', recovered: 'artifacts are removed again' };
    return new WorkLoop({ clock, log, poll: POLL, messages, iterate: () => this.sweep() }).start();
  }

  async sweep(): Promise<IterationResult> {
    const abandoned = await this.#discardStale();
    let handled = abandoned.processed;
    let has_more = false;
    let due_ms: number | undefined;
    // A store that is unavailable holds up no other.
    const swept = await eachOf(await this.#deps.stores.all(), async (store) => {
      const removed = await this.#sweep(store);
      handled += removed;
      has_more ||= removed === BATCH;
      const next = await readNextDue(this.#deps.database, store.id);
      if (next !== undefined) due_ms = Math.min(due_ms ?? Infinity, Math.max(0, next - this.#deps.database.now()));
    });
    const failure = abandoned.failure ?? swept.failure;
    return { processed: handled, hasMore: has_more, due_ms: failure === undefined ? due_ms : undefined, failure };
  }

  /** Discards abandoned uploads. If somebody continues one at this moment, only one of the two writes its row. */
  #discardStale(): Promise<{ processed: number; failure: unknown }> {
    const { database, ids } = this.#deps;
    const before = database.now() - STALE_MS;
    const stale = inPages<StaleUpload>(BATCH, (after, limit) => listStaleUploads(database, before, after, limit));
    return eachOf(stale, async (upload) => {
      await database.transaction((tx) => discard(tx, upload, ids, database.now()));
    });
  }

  /**
   * Sweeps one store. A removal that fails ends the round of its store, which may be unavailable, and is postponed
   * behind the others.
   */
  async #sweep(store: PartStore): Promise<number> {
    const { database } = this.#deps;
    const removals = await listDueRemovals(database, store.id, database.now(), BATCH);
    const completed: DueRemoval[] = [];
    try {
      for (const removal of removals) {
        await this.#removeParts(store, removal);
        completed.push(removal);
      }
    } catch (error) {
      await postpone(database, removals[completed.length]!.removal_id, database.now() + POSTPONE_MS);
      throw error;
    } finally {
      if (completed.length > 0) await database.transaction((tx) => deleteRemovals(tx, completed));
    }
    return removals.length;
  }

  /** Parts named by the row of an artifact stay, because a rerun may share them. */
  async #removeParts(store: PartStore, { blob_id, names }: Removal): Promise<void> {
    const used = new Set(partNames((await readParts(this.#deps.database, blob_id)) ?? []));
    const unused = names.filter((name) => !used.has(name));
    await store.remove(blob_id, unused);
    this.#deps.onRemoved(unused.length);
  }
}
