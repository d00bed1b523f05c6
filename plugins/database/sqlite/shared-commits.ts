import { type Clock, isServiceError } from '../../../kernel/contracts/index.ts';
import { DatabaseErrors, OF_THE_DATABASE } from '../errors.ts';
import type { SqliteEngine } from './engine.ts';
import { isUncertain, sqliteFault } from './faults.ts';

/** Bounds for what the first of a group waits for the others. */
const MOST_RIDERS = 64;
const MOST_MS = 4;
const STALL_LOOK_MS = 100;
const STALL_LOOKS = 20;

const SAVEPOINT = 'SAVEPOINT rider';
const KEEP = 'RELEASE rider';
const UNDO = 'ROLLBACK TO rider; RELEASE rider';

/** Transactions that are done and wait for one COMMIT. */
class Group {
  readonly began_at: number;
  riders = 0;
  readonly #over = Promise.withResolvers<{ fault?: unknown }>();

  constructor(began_at: number) {
    this.began_at = began_at;
  }

  /** Resolves when it is committed, rejects when all of it is lost. */
  async committed(): Promise<void> {
    const { fault } = await this.#over.promise;
    if (fault !== undefined) throw fault;
  }

  end(fault?: unknown): void {
    this.#over.resolve({ fault });
  }
}

/**
 * Transactions that wait for the writer ride in one COMMIT, because each COMMIT writes its pages and waits for the disk.
 * Every one after the first has a savepoint: what fails is undone alone. None is answered before the commit, and all are
 * refused when it fails.
 */
export class SharedCommits {
  readonly #engine: SqliteEngine;
  readonly #clock: Clock;
  /** Open on the writer; whoever holds the writer's lock works in it. */
  #group: Group | undefined;

  constructor(engine: SqliteEngine, clock: Clock) {
    this.#engine = engine;
    this.#clock = clock;
  }

  /**
   * Does `work` on the writer, one after the other, and answers when it is committed. `work` is told whether others wait
   * for the commit that its end allows. Throws what `work` throws, and faults of the database.
   */
  async ride<T>(work: (awaited: boolean) => T | Promise<T>): Promise<T> {
    const release = await this.#engine.acquire(this);
    let group: Group;
    let result: T;
    try {
      group = await this.#board();
      result = await this.#carry(group, work);
    } finally {
      try {
        await this.#commitUnlessNextRides();
      } finally {
        release();
      }
    }
    await group.committed();
    return result;
  }

  async #board(): Promise<Group> {
    if (this.#group) return this.#group;
    await this.#engine.begin();
    this.#group = new Group(this.#clock.monotonic());
    return this.#group;
  }

  async #carry<T>(group: Group, work: (awaited: boolean) => T | Promise<T>): Promise<T> {
    const awaited = group.riders > 0;
    const { writer } = this.#engine;
    try {
      if (awaited) writer.exec(SAVEPOINT);
      const result = await work(awaited);
      if (awaited) writer.exec(KEEP);
      group.riders += 1;
      return result;
    } catch (error) {
      this.#undo(group, sqliteFault(error));
      throw sqliteFault(error);
    }
  }

  /** The whole group is lost where SQLite has rolled everything back by itself, or cannot undo a part. */
  #undo(group: Group, fault: unknown): void {
    const { writer } = this.#engine;
    let cause = fault;
    if (group.riders > 0 && writer.inTransaction)
      try {
        writer.exec(UNDO);
        return;
      } catch (error) {
        cause = sqliteFault(error);
      }
    this.#group = undefined;
    group.end(ofAll(cause));
    this.#engine.rollback();
  }

  async #commitUnlessNextRides(): Promise<void> {
    const group = this.#group;
    if (group === undefined) return;
    if (!this.#isFull(group)) {
      // What is ready at this moment comes within one turn of the event loop.
      if (!this.#engine.nextIs(this)) await this.#engine.turn();
      if (this.#engine.nextIs(this)) return;
    }
    this.#group = undefined;
    group.end(await this.#commit());
  }

  #isFull({ riders, began_at }: Group): boolean {
    return riders >= MOST_RIDERS || this.#clock.monotonic() - began_at >= MOST_MS;
  }

  async #commit(): Promise<unknown> {
    const engine = this.#engine;
    try {
      await engine.patiently(() => engine.work(() => engine.writer.exec('COMMIT')));
      return undefined;
    } catch (error) {
      return this.#rolledBack() ?? uncertain(error) ?? sqliteFault(error);
    }
  }

  /** Why the group could not be rolled back, which none of it can know better than as an unknown end. */
  #rolledBack(): unknown {
    try {
      this.#engine.rollback();
      return undefined;
    } catch (error) {
      return DatabaseErrors.commitUnknown((error as Error).message, { cause: error });
    }
  }
}

/** What is said to those that were undone with another one: its own words are for itself. */
const ofAll = (fault: unknown): unknown =>
  isServiceError(fault) && OF_THE_DATABASE.has(fault.code)
    ? fault
    : DatabaseErrors.unavailable('it was undone together with another transaction that failed; try again', {
        retryAfterMs: 100,
      });

function uncertain(error: unknown): unknown {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return isUncertain(cause) ? DatabaseErrors.commitUnknown((cause as Error).message, { cause }) : undefined;
}

/**
 * Rejects with `database_busy` when a transaction that others wait for does nothing for 2 s: what it waits for may be
 * one of them. Looks are counted and not time, so that a process which was stopped for a while is not taken for one.
 */
export function withoutStalling<T>(work: Promise<T>, statements: () => number, clock: Clock): Promise<T> {
  const stalled = Promise.withResolvers<never>();
  let seen = statements();
  let idle = 0;
  const look = () => {
    idle = statements() === seen ? idle + 1 : 0;
    seen = statements();
    if (idle < STALL_LOOKS) cancel = clock.after(STALL_LOOK_MS, look);
    else stalled.reject(DatabaseErrors.busy('a transaction did nothing while others waited for it; it was undone'));
  };
  let cancel = clock.after(STALL_LOOK_MS, look);
  return Promise.race([work, stalled.promise]).finally(() => cancel());
}
