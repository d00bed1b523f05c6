import {
  type BatchOutcome,
  type GroupCommit,
  retryUnknownCommit,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import { COUNTED_BYTES, endClaims, resultBytes } from './finish.ts';
import type { StoreParts } from './parts.ts';
import { endPlain, RunHeld, type RunEnding } from './plain-ends.ts';

/** Ends in one transaction: they hold their runs for that long. */
const MAX_ENDS = 32;
/** An end whose output is longer, as JSON, has a transaction of its own. */
const MAX_CHARS = 64 * 1024;

interface AddedEnding extends RunEnding {
  project_id: string;
  coordinated: boolean;
  trusted: boolean;
}

interface Waiting extends RunEnding {
  settle(error?: unknown): void;
}

/**
 * Ends of activities share transactions. On SQLite, which has one writer, all of them do. Elsewhere those of a project do,
 * because each would wait for the lock under which the end of its run is announced; but where a coordinator decides what
 * comes next, only those of one run: its statements would take the time of all others. So do those of a run that somebody
 * else has locked: a server that hangs with the lock of one run must not stop a project. While one transaction is under way,
 * others gather for the next.
 */
export class Completions {
  readonly #store: StoreParts;
  readonly #commits: GroupCommit<AddedEnding, void>;
  /** By run, while something is under way. */
  readonly #queues = new Map<string, Waiting[]>();
  readonly #one_writer: boolean;

  constructor(store: StoreParts) {
    this.#store = store;
    this.#one_writer = store.database.sql.family === 'sqlite';
    this.#commits = store.group_commits.create<AddedEnding, void>({
      name: 'runs.complete',
      max_batch: MAX_ENDS,
      apart: this.#one_writer ? undefined : ({ project_id }) => project_id,
      flush: (tx, batch) => this.#flush(tx, batch),
    });
  }

  /** Resolves after the commit. Rejects with `lease_lost`. */
  add(ending: AddedEnding): Promise<void> {
    const { completion, trusted } = ending;
    const large = completion.status === 'succeeded' && JSON.stringify(completion.output ?? null).length > MAX_CHARS;
    // It counts, and that locks what others write too.
    const counted = !trusted && resultBytes(completion) >= COUNTED_BYTES;
    if (large || counted) return this.#alone(ending);
    return this.#one_writer || !ending.coordinated ? this.#shared(ending) : this.#ofRun(ending);
  }

  async #shared(ending: AddedEnding): Promise<void> {
    try {
      await retryUnknownCommit(() => this.#commits.submit(ending));
    } catch (error) {
      if (!(error instanceof RunHeld)) throw error;
      await this.#ofRun(ending);
    }
  }

  #ofRun(ending: RunEnding): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const settle = (error?: unknown) => (error === undefined ? resolve() : reject(error as Error));
    this.#queue({ ...ending, settle });
    return promise;
  }

  async #alone(ending: RunEnding): Promise<void> {
    const [lost] = await this.#transaction([ending]);
    if (lost) throw lost;
  }

  #transaction(endings: readonly RunEnding[]): Promise<(Error | undefined)[]> {
    return retryUnknownCommit(() =>
      this.#store.database.transaction((tx) => endClaims(tx, this.#store, endings[0]!.run_id, endings)),
    );
  }

  /** Those of coordinators run by run, the others together. */
  async #flush(tx: Transaction, batch: readonly AddedEnding[]): Promise<BatchOutcome<void>[]> {
    const plain = batch.filter(({ coordinated }) => !coordinated);
    const outcomes = new Map(await endPlain(tx, this.#store, plain));
    const coordinated = batch.filter((ending) => ending.coordinated);
    for (const [run_id, endings] of Map.groupBy(coordinated, (ending) => ending.run_id)) {
      const lost = await endClaims(tx, this.#store, run_id, endings);
      for (const [i, error] of lost.entries()) outcomes.set(endings[i]!, error);
    }
    return batch.map((ending) => {
      const error = outcomes.get(ending);
      return error ? { error } : { ok: undefined };
    });
  }

  #queue(ending: Waiting): void {
    const waiting = this.#queues.get(ending.run_id);
    if (waiting) {
      waiting.push(ending);
      return;
    }
    const queue = [ending];
    this.#queues.set(ending.run_id, queue);
    void this.#work(ending.run_id, queue);
  }

  /** Never rejects: every end is settled. */
  async #work(run_id: string, queue: Waiting[]): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.splice(0, MAX_ENDS);
      // When several fail together, one of them may be to blame.
      if (!(await this.#end(batch))) for (const one of batch) await this.#end([one]);
    }
    this.#queues.delete(run_id);
  }

  async #end(batch: readonly Waiting[]): Promise<boolean> {
    // In the order of their locks.
    const sorted = batch.toSorted((a, b) => (a.claim.activity_id < b.claim.activity_id ? -1 : 1));
    try {
      const outcomes = await this.#transaction(sorted);
      for (const [i, { settle }] of sorted.entries()) settle(outcomes[i]);
      return true;
    } catch (error) {
      if (batch.length > 1) return false;
      batch[0]!.settle(error);
      return true;
    }
  }
}
