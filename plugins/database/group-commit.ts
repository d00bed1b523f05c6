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
} from '../../kernel/contracts/index.ts';
import { BatchWindow } from './batch-window.ts';
import { DatabaseErrors, OF_THE_DATABASE } from './errors.ts';
import { type OutsideWork, outsideWorkOf } from './outside.ts';

type Rules<P, R> = GroupRules<P, R>;

interface Queued<P, R> {
  item: P;
  resolve(result: R): void;
  reject(error: unknown): void;
}

const closed = () => DatabaseErrors.unavailable('this process is stopping and has closed the database');

/** Passed through the transaction, which would do the work while the whole queue waits. */
class Postponed extends Error {
  readonly outside: OutsideWork;

  constructor(cause: unknown, outside: OutsideWork) {
    super('an item waits for work outside of its transaction', { cause });
    this.outside = outside;
  }
}

/** One queue with one writer: at most one of its transactions is in flight. */
class Queue<P, R> implements GroupCommit<P, R> {
  readonly #database: Database;
  readonly #rules: Rules<P, R>;
  readonly #clock: Clock;
  readonly #window: BatchWindow;
  #waiting: Queued<P, R>[] = [];
  #running = false;
  #submitted = 0;
  #settled = 0;
  /** Items that come back after work outside of a transaction. */
  readonly #away = new Set<Promise<void>>();
  readonly #drains: { upTo: number; resolve: () => void }[] = [];
  #closed = false;

  constructor(database: Database, rules: Rules<P, R>, clock: Clock) {
    if (!Number.isSafeInteger(rules.max_batch) || rules.max_batch < 1)
      throw new RangeError(`max_batch of ${rules.name} must be at least 1`);
    this.#database = database;
    this.#rules = rules;
    this.#clock = clock;
    this.#window = new BatchWindow(clock);
  }

  submit(item: P): Promise<R> {
    if (this.#closed) return Promise.reject(closed());
    return new Promise<R>((resolve, reject) => this.#push({ item, resolve, reject }));
  }

  #push(queued: Queued<P, R>): void {
    this.#waiting.push(queued);
    this.#submitted++;
    this.#window.came(this.#waiting.length);
    if (this.#running) return;
    this.#running = true;
    void this.#run();
  }

  async drain(): Promise<void> {
    do {
      await Promise.all(this.#away);
      await this.#settledAll();
    } while (this.#away.size > 0);
  }

  #settledAll(): Promise<void> {
    if (this.#settled === this.#submitted) return Promise.resolve();
    return new Promise((resolve) => this.#drains.push({ upTo: this.#submitted, resolve }));
  }

  close(): Promise<void> {
    this.#closed = true;
    return this.drain();
  }

  /** Never throws: every fault is passed to the callers of the affected items. */
  async #run(): Promise<void> {
    // SQLite works in this thread: new requests are read from sockets only when the event loop runs.
    const inThread = this.#database.sql.family === 'sqlite';
    await yieldToEventLoop();
    while (this.#waiting.length > 0) {
      if (inThread) await this.#window.gathered(this.#waiting.length, this.#rules.max_batch);
      const began_at = this.#clock.monotonic();
      const count = await this.#commit();
      if (!inThread) continue;
      const took_ms = this.#clock.monotonic() - began_at;
      await yieldToEventLoop();
      this.#window.committed(count + this.#waiting.length, took_ms);
    }
    this.#running = false;
  }

  async #commit(): Promise<number> {
    const batch = this.#waiting.splice(0, this.#rules.max_batch);
    await this.#settle(batch);
    this.#settled += batch.length;
    while (this.#drains[0] && this.#drains[0].upTo <= this.#settled) this.#drains.shift()!.resolve();
    return batch.length;
  }

  /** What is refused is looked at again where this server may not see everything yet. */
  async #settle(batch: readonly Queued<P, R>[], current = false): Promise<void> {
    let outcomes: BatchOutcome<R>[];
    try {
      outcomes = await this.#database.transaction((tx) => this.#flush(tx, batch));
    } catch (error) {
      await this.#split(batch, error);
      return;
    }
    const refused = outcomes.flatMap((outcome, index) => ('error' in outcome ? [batch[index]!] : []));
    const again = refused.length > 0 && !current && (await this.#mayBeBehind());
    for (const [index, outcome] of outcomes.entries()) {
      if ('ok' in outcome) batch[index]!.resolve(outcome.ok);
      else if (!again) batch[index]!.reject(outcome.error);
    }
    if (again) await this.#settle(refused, true);
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
        throw outside === undefined ? error : new Postponed(error, outside);
      });
    if (outcomes.length !== batch.length)
      throw new Error(`${this.#rules.name} answered ${outcomes.length} outcomes for ${batch.length} items`);
    return outcomes;
  }

  async #split(batch: readonly Queued<P, R>[], error: unknown): Promise<void> {
    if (batch.length === 1 && error instanceof Postponed) return this.#postpone(batch[0]!, error.outside);
    if (batch.length === 1 || (isServiceError(error) && OF_THE_DATABASE.has(error.code))) {
      for (const { reject } of batch) reject(error);
      return;
    }
    const half = batch.length >> 1;
    await this.#settle(batch.slice(0, half));
    await this.#settle(batch.slice(half));
  }

  /** The others go on; this item is submitted again when the work is done. */
  #postpone(queued: Queued<P, R>, work: OutsideWork): void {
    const away = work()
      .then(() => this.#push(queued), queued.reject)
      .finally(() => this.#away.delete(away));
    this.#away.add(away);
  }
}

/** A queue for each key of the items that must not share a transaction; it exists while it has something to do. */
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
    const own = this.#queues.get(key) ?? { queue: this.#make(), open: 0 };
    this.#queues.set(key, own);
    own.open += 1;
    try {
      return await own.queue.submit(item);
    } finally {
      own.open -= 1;
      if (own.open === 0) this.#queues.delete(key);
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

/** All queues of the process for one database. */
export class DatabaseGroupCommits implements GroupCommits {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #queues: { close(): Promise<void> }[] = [];

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  create<P, R>(rules: Rules<P, R>): GroupCommit<P, R> {
    const make = () => new Queue<P, R>(this.#database, rules, this.#clock);
    const queue = rules.apart === undefined ? make() : new Queues(make, rules.apart);
    this.#queues.push(queue);
    return queue;
  }

  /** Accepts nothing more and waits until every submitted item is settled. */
  async close(): Promise<void> {
    await Promise.all(this.#queues.map((queue) => queue.close()));
  }
}
