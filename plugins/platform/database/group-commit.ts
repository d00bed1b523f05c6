import {
  type BatchOutcome,
  type Clock,
  type Database,
  type GroupCommit,
  type GroupCommits,
  type GroupRules,
  isServiceError,
  type Transaction,
  yieldToEventLoop,
} from '../../../kernel/contracts/index.ts';
import { BatchWindow } from './batch-window.ts';
import { DatabaseErrors, DATABASE_FAILURES } from './errors.ts';
import { type OutsideWork, outsideWorkOf } from './outside.ts';

type Rules<P, R> = GroupRules<P, R>;

/** True while transactions have finished their work and wait for a commit that others can share. */
type CanJoin = () => boolean;

interface Queued<P, R> {
  item: P;
  resolve(result: R): void;
  reject(error: unknown): void;
}

const closed = () => DatabaseErrors.unavailable('this process is stopping and has closed the database');

/** Carries the work past the transaction, which would otherwise do it while the whole queue waits. */
class OutsideWorkNeeded extends Error {
  readonly outside: OutsideWork;

  constructor(cause: unknown, outside: OutsideWork) {
    super('an item waits for work outside of its transaction', { cause });
    this.outside = outside;
  }
}

/** A queue with a single writer: at most one of its transactions is in flight. */
class Queue<P, R> implements GroupCommit<P, R> {
  readonly #database: Database;
  readonly #rules: Rules<P, R>;
  readonly #clock: Clock;
  readonly #canJoin: CanJoin;
  readonly #window: BatchWindow;
  #waiting: Queued<P, R>[] = [];
  #running = false;
  #submitted = 0;
  #completed = 0;
  /** Work outside of a transaction, after which its item is submitted again. */
  readonly #outside = new Set<Promise<void>>();
  readonly #drains: { upTo: number; resolve: () => void }[] = [];
  #closed = false;

  constructor(database: Database, rules: Rules<P, R>, clock: Clock, canJoin: CanJoin) {
    if (!Number.isSafeInteger(rules.max_batch) || rules.max_batch < 1)
      throw new RangeError(`max_batch of ${rules.name} must be at least 1`);
    this.#database = database;
    this.#rules = rules;
    this.#clock = clock;
    this.#canJoin = canJoin;
    this.#window = new BatchWindow(clock);
  }

  submit(item: P): Promise<R> {
    if (this.#closed) return Promise.reject(closed());
    return new Promise<R>((resolve, reject) => this.#push({ item, resolve, reject }));
  }

  #push(queued: Queued<P, R>): void {
    this.#waiting.push(queued);
    this.#submitted++;
    this.#window.onArrival(this.#waiting.length);
    if (this.#running) return;
    this.#running = true;
    void this.#run();
  }

  async drain(): Promise<void> {
    do {
      await Promise.all(this.#outside);
      await this.#waitForSubmitted();
    } while (this.#outside.size > 0);
  }

  #waitForSubmitted(): Promise<void> {
    if (this.#completed === this.#submitted) return Promise.resolve();
    return new Promise((resolve) => this.#drains.push({ upTo: this.#submitted, resolve }));
  }

  close(): Promise<void> {
    this.#closed = true;
    return this.drain();
  }

  /** Never throws: every error is passed to the callers of the affected items. */
  async #run(): Promise<void> {
    // SQLite blocks this thread, so new requests are read from sockets only when the event loop runs.
    const inThread = this.#database.sql.family === 'sqlite';
    // What comes while others wait for a commit shares it, if it does not wait for more.
    if (!this.#canJoin()) await yieldToEventLoop();
    while (this.#waiting.length > 0) {
      if (inThread) await this.#window.waitForCallers(this.#waiting.length, this.#rules.max_batch);
      const began_at = this.#clock.monotonic();
      const count = await this.#commit();
      if (!inThread) continue;
      const commit_ms = this.#clock.monotonic() - began_at;
      await yieldToEventLoop();
      this.#window.recordBatch(count + this.#waiting.length, commit_ms);
    }
    this.#running = false;
  }

  async #commit(): Promise<number> {
    const batch = this.#waiting.splice(0, this.#rules.max_batch);
    await this.#commitItems(batch);
    this.#completed += batch.length;
    while (this.#drains[0] && this.#drains[0].upTo <= this.#completed) this.#drains.shift()!.resolve();
    return batch.length;
  }

  /** Rejected items are tried once more if this node may not have seen every commit yet. */
  async #commitItems(batch: readonly Queued<P, R>[], current = false): Promise<void> {
    let outcomes: BatchOutcome<R>[];
    try {
      outcomes = await this.#database.transaction((tx) => this.#flush(tx, batch));
    } catch (error) {
      await this.#handleFailure(batch, error);
      return;
    }
    const rejected = outcomes.flatMap((outcome, index) => ('error' in outcome ? [batch[index]!] : []));
    const retry = rejected.length > 0 && !current && (await this.#mayBeBehind());
    for (const [index, outcome] of outcomes.entries()) {
      if ('ok' in outcome) batch[index]!.resolve(outcome.ok);
      else if (!retry) batch[index]!.reject(outcome.error);
    }
    if (retry) await this.#commitItems(rejected, true);
  }

  async #mayBeBehind(): Promise<boolean> {
    return this.#database.catchUp().catch(() => false);
  }

  async #flush(tx: Transaction, batch: readonly Queued<P, R>[]): Promise<BatchOutcome<R>[]> {
    const outcomes = await this.#rules
      .flush(
        tx,
        batch.map(({ item }) => item),
      )
      .catch((error: unknown) => {
        const outside = outsideWorkOf(error);
        throw outside === undefined ? error : new OutsideWorkNeeded(error, outside);
      });
    if (outcomes.length !== batch.length)
      throw new Error(`${this.#rules.name} returned ${outcomes.length} outcomes for ${batch.length} items`);
    return outcomes;
  }

  async #handleFailure(batch: readonly Queued<P, R>[], error: unknown): Promise<void> {
    if (batch.length === 1 && error instanceof OutsideWorkNeeded) return this.#postpone(batch[0]!, error.outside);
    if (batch.length === 1 || (isServiceError(error) && DATABASE_FAILURES.has(error.code))) {
      for (const { reject } of batch) reject(error);
      return;
    }
    const half = batch.length >> 1;
    await this.#commitItems(batch.slice(0, half));
    await this.#commitItems(batch.slice(half));
  }

  /** Submits the item again when the work is done. The other items do not wait. */
  #postpone(queued: Queued<P, R>, work: OutsideWork): void {
    const outside = work()
      .then(() => this.#push(queued), queued.reject)
      .finally(() => this.#outside.delete(outside));
    this.#outside.add(outside);
  }
}

/** One queue for each key, for items that must not share a transaction. A queue exists only while it has items. */
class Queues<P, R> implements GroupCommit<P, R> {
  readonly #make: () => Queue<P, R>;
  readonly #keyOf: (item: P) => string;
  readonly #queues = new Map<string, { queue: Queue<P, R>; open: number }>();
  #closed = false;

  constructor(make: () => Queue<P, R>, keyOf: (item: P) => string) {
    this.#make = make;
    this.#keyOf = keyOf;
  }

  async submit(item: P): Promise<R> {
    if (this.#closed) throw closed();
    const key = this.#keyOf(item);
    const entry = this.#queues.get(key) ?? { queue: this.#make(), open: 0 };
    this.#queues.set(key, entry);
    entry.open += 1;
    try {
      return await entry.queue.submit(item);
    } finally {
      entry.open -= 1;
      if (entry.open === 0) this.#queues.delete(key);
    }
  }

  async drain(): Promise<void> {
    await Promise.all([...this.#queues.values()].map(({ queue }) => queue.drain()));
  }

  close(): Promise<void> {
    this.#closed = true;
    return this.drain();
  }
}

/** All queues of this process for one database. */
export class DatabaseGroupCommits implements GroupCommits {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #canJoin: CanJoin;
  readonly #queues: { close(): Promise<void> }[] = [];

  constructor(database: Database, clock: Clock, canJoin: CanJoin = () => false) {
    this.#database = database;
    this.#clock = clock;
    this.#canJoin = canJoin;
  }

  create<P, R>(rules: Rules<P, R>): GroupCommit<P, R> {
    const make = () => new Queue<P, R>(this.#database, rules, this.#clock, this.#canJoin);
    const queue = rules.partition === undefined ? make() : new Queues(make, rules.partition);
    this.#queues.push(queue);
    return queue;
  }

  /** Accepts nothing more, and waits until every submitted item has settled. */
  async close(): Promise<void> {
    await Promise.all(this.#queues.map((queue) => queue.close()));
  }
}
