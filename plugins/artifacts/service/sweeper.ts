import {
  type Database,
  eachOf,
  inPages,
  type Ids,
  type Log,
  type Round,
  WorkLoop,
  type Clock,
} from '../../../kernel/contracts/index.ts';
import { partNames } from '../domain/parts.ts';
import { partsOf } from '../store/file-rows.ts';
import { discard } from '../store/publish.ts';
import {
  type DueRemoval,
  dueRemovals,
  forgetRemovals,
  nextRemoval,
  putOff,
  type Removal,
} from '../store/removal-rows.ts';
import { type StaleUpload, staleUploads } from '../store/upload-rows.ts';
import type { PartStore } from '../stores/part-store.ts';
import type { PartStores } from './part-stores.ts';

/** An upload to which nothing was added for so long is given up. */
export const STALE_MS = 24 * 3_600_000;
const AT_ONCE = 100;
const PUT_OFF_MS = 60_000;
const POLL = { min_ms: 5000, max_ms: 60_000 };

export interface SweeperParts {
  database: Database;
  ids: Ids;
  stores: PartStores;
  clock: Clock;
  log: Log;
  removed: (parts: number) => void;
}

/**
 * Removes what no row names any more. It never looks for files: each one that was begun is named by a row of its upload,
 * and what is to be removed by a row that a transaction left. Any number of servers may do this at the same time.
 */
export class Sweeper {
  readonly #use: SweeperParts;

  constructor(use: SweeperParts) {
    this.#use = use;
  }

  start(): () => Promise<void> {
    const { clock, log } = this.#use;
    const says = { failing: 'removing artifacts failed; retrying', recovered: 'artifacts are removed again' };
    return new WorkLoop({ clock, log, poll: POLL, says, round: () => this.round() }).start();
  }

  async round(): Promise<Round> {
    const given_up = await this.#giveUp();
    let found = given_up.found;
    let again = false;
    let due_ms: number | undefined;
    // One store that is away holds up no other.
    const swept = await eachOf(await this.#use.stores.all(), async (store) => {
      const removed = await this.#sweep(store);
      found += removed;
      again ||= removed === AT_ONCE;
      const next = await nextRemoval(this.#use.database, store.id);
      if (next !== undefined) due_ms = Math.min(due_ms ?? Infinity, Math.max(0, next - this.#use.database.now()));
    });
    const failure = given_up.failure ?? swept.failure;
    return { found, again, ...(due_ms === undefined || failure !== undefined ? {} : { due_ms }), failure };
  }

  /** Uploads that nobody continues. Whoever would continue one just now decides: only one of the two writes its row. */
  #giveUp(): Promise<{ found: number; failure: unknown }> {
    const { database, ids } = this.#use;
    const before = database.now() - STALE_MS;
    const stale = inPages<StaleUpload>(AT_ONCE, (after, limit) => staleUploads(database, before, after, limit));
    return eachOf(stale, async (upload) => {
      await database.transaction((tx) => discard(tx, upload, ids, database.now()));
    });
  }

  /** A removal that fails ends the round of its store, which may be away, and waits while others go before it. */
  async #sweep(store: PartStore): Promise<number> {
    const { database } = this.#use;
    const removals = await dueRemovals(database, store.id, database.now(), AT_ONCE);
    const done: DueRemoval[] = [];
    try {
      for (const removal of removals) {
        await this.#remove(store, removal);
        done.push(removal);
      }
    } catch (error) {
      await putOff(database, removals[done.length]!.removal_id, database.now() + PUT_OFF_MS);
      throw error;
    } finally {
      if (done.length > 0) await database.transaction((tx) => forgetRemovals(tx, done));
    }
    return removals.length;
  }

  /** The row of an artifact protects its parts: a rerun may have taken them over. */
  async #remove(store: PartStore, { blob_id, names }: Removal): Promise<void> {
    const used = new Set(partNames((await partsOf(this.#use.database, blob_id)) ?? []));
    const unused = names.filter((name) => !used.has(name));
    await store.remove(blob_id, unused);
    this.#use.removed(unused.length);
  }
}
