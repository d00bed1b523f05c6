import { type Clock, isServiceError } from '../../../../kernel/contracts/index.ts';
import { DatabaseErrors, DATABASE_FAILURES } from '../errors.ts';
import type { SqliteEngine } from './engine.ts';
import { isUncertain, toServiceError } from './errors.ts';

/** The bounds of a group: how many transactions it has, and how long the first one waits for the others. */
const MAX_GROUP_SIZE = 64;
const MAX_GROUP_AGE_MS = 4;
const STALL_CHECK_MS = 100;
const MAX_STALL_CHECKS = 20;

const SAVEPOINT = 'SAVEPOINT rider';
const RELEASE_SAVEPOINT = 'RELEASE rider';
const UNDO_SAVEPOINT = 'ROLLBACK TO rider; RELEASE rider';

/** Transactions that have finished their work and wait for the same COMMIT. */
class Group {
  readonly began_at: number;
  size = 0;
  readonly #ended = Promise.withResolvers<{ failure?: unknown }>();

  constructor(began_at: number) {
    this.began_at = began_at;
  }

  /** Resolves when the group is committed, and rejects when all of it is lost. */
  async committed(): Promise<void> {
    const { failure: fault } = await this.#ended.promise;
    if (fault !== undefined) throw fault;
  }

  end(failure?: unknown): void {
    this.#ended.resolve({ failure });
  }
}

/**
 * Transactions that wait for the writer share one COMMIT, because each COMMIT writes its pages and waits for the disk. Every
 * transaction after the first has a savepoint, so that it can fail alone. None is answered before the commit, and all of them
 * fail if the commit does.
 */
export class SharedCommits {
  readonly #engine: SqliteEngine;
  readonly #clock: Clock;
  /** The group that is open on the writer. The holder of the writer lock works in it. */
  #group: Group | undefined;

  constructor(engine: SqliteEngine, clock: Clock) {
    this.#engine = engine;
    this.#clock = clock;
  }

  /** True while a group is open that takes more transactions. */
  get canJoin(): boolean {
    return this.#group !== undefined && !this.#isFull(this.#group);
  }

  /**
   * Runs `work` on the writer, one call after another, and resolves when it is committed. `awaited` says whether others wait for
   * the commit, which cannot happen before this work ends. Throws what `work` throws, and errors of the database.
   */
  async run<T>(work: (awaited: boolean) => T | Promise<T>): Promise<T> {
    const release = await this.#engine.acquire(this);
    let group: Group;
    let result: T;
    try {
      group = await this.#joinGroup();
      result = await this.#runInGroup(group, work);
    } finally {
      try {
        await this.#commitUnlessNextJoins();
      } finally {
        release();
      }
    }
    await group.committed();
    return result;
  }

  async #joinGroup(): Promise<Group> {
    if (this.#group) return this.#group;
    await this.#engine.begin();
    this.#group = new Group(this.#clock.monotonic());
    return this.#group;
  }

  async #runInGroup<T>(group: Group, work: (awaited: boolean) => T | Promise<T>): Promise<T> {
    const awaited = group.size > 0;
    const { writer } = this.#engine;
    try {
      if (awaited) writer.exec(SAVEPOINT);
      const result = await work(awaited);
      if (awaited) writer.exec(RELEASE_SAVEPOINT);
      group.size += 1;
      return result;
    } catch (error) {
      this.#undo(group, toServiceError(error));
      throw toServiceError(error);
    }
  }

  /** Undoes one transaction. The whole group is lost if SQLite has rolled everything back, or cannot undo this one alone. */
  #undo(group: Group, failure: unknown): void {
    const { writer } = this.#engine;
    let cause = failure;
    if (group.size > 0 && writer.inTransaction)
      try {
        writer.exec(UNDO_SAVEPOINT);
        return;
      } catch (error) {
        cause = toServiceError(error);
      }
    this.#group = undefined;
    group.end(toGroupFailure(cause));
    this.#engine.rollback();
  }

  async #commitUnlessNextJoins(): Promise<void> {
    const group = this.#group;
    if (group === undefined) return;
    if (!this.#isFull(group)) {
      // Transactions that are ready at this moment arrive within one turn of the event loop.
      if (!this.#engine.nextIs(this)) await this.#engine.yieldToLoop();
      if (this.#engine.nextIs(this)) return;
    }
    this.#group = undefined;
    group.end(await this.#commit());
  }

  #isFull({ size, began_at }: Group): boolean {
    return size >= MAX_GROUP_SIZE || this.#clock.monotonic() - began_at >= MAX_GROUP_AGE_MS;
  }

  async #commit(): Promise<unknown> {
    const engine = this.#engine;
    try {
      await engine.retryWhileBusy(() => engine.runWork(() => engine.writer.exec('COMMIT')));
      return undefined;
    } catch (error) {
      return this.#rollbackFailure() ?? toCommitUnknown(error) ?? toServiceError(error);
    }
  }

  /** Returns why the group could not be rolled back, as an unknown outcome; undefined when it was rolled back. */
  #rollbackFailure(): unknown {
    try {
      this.#engine.rollback();
      return undefined;
    } catch (error) {
      return DatabaseErrors.commitUnknown((error as Error).message, { cause: error });
    }
  }
}

/** The error for transactions that were undone because of another one. The original error is only for the one that failed. */
const toGroupFailure = (failure: unknown): unknown =>
  isServiceError(failure) && DATABASE_FAILURES.has(failure.code)
    ? failure
    : DatabaseErrors.unavailable('it was rolled back together with another transaction that failed; try again', {
        retryAfterMs: 100,
      });

function toCommitUnknown(error: unknown): unknown {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return isUncertain(cause) ? DatabaseErrors.commitUnknown((cause as Error).message, { cause }) : undefined;
}

/**
 * Rejects with `database_busy` when a transaction that others wait for runs no statement for 2 s, because it may wait for one
 * of them. It counts checks instead of time, so that a process that was suspended for a while does not look stalled.
 */
export function rejectWhenStalled<T>(work: Promise<T>, statements: () => number, clock: Clock): Promise<T> {
  const stalled = Promise.withResolvers<never>();
  let last_count = statements();
  let idle = 0;
  const check = () => {
    idle = statements() === last_count ? idle + 1 : 0;
    last_count = statements();
    if (idle < MAX_STALL_CHECKS) cancel = clock.after(STALL_CHECK_MS, check);
    else
      stalled.reject(DatabaseErrors.busy('a transaction did nothing while others waited for it; it was rolled back'));
  };
  let cancel = clock.after(STALL_CHECK_MS, check);
  return Promise.race([work, stalled.promise]).finally(() => cancel());
}
