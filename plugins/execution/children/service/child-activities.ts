import type { Database, Ids, Transaction } from '../../../../kernel/contracts/index.ts';
import type {
  Activities,
  ActivityContext,
  ActivityEnd,
  ActivityScope,
  WaitOutcome,
  WaitRef,
  WaitResolver,
} from '../../../engine/runs/contract.ts';
import { type ChildWork, nameKey } from '../domain/child-call.ts';
import { toWaitOutcome } from '../domain/outcome.ts';
import {
  ALL_CHILDREN,
  type Child,
  findChildByName,
  findChild,
  insertChild,
  insertWait,
  removeWait,
  markEnded,
  markAllReported,
  markReported,
  hasUnfinished,
  readUnreported,
  findWait,
} from '../store/rows.ts';

/** The exit code for a name that is already used or unknown. */
const USAGE_EXIT_CODE = 2;

export interface ChildActivitiesDeps {
  database: Pick<Database, 'now'>;
  ids: Ids;
  activities: () => Activities;
  resolver: () => WaitResolver;
}

const usageError = (message: string): WaitOutcome => ({ exit_code: USAGE_EXIT_CODE, output: Buffer.alloc(0), message });

/**
 * Submits children and reports their outcomes to their parents. The caller of every method has locked the row of
 * their run in its transaction.
 */
export class ChildActivities {
  readonly #deps: ChildActivitiesDeps;

  constructor(deps: ChildActivitiesDeps) {
    this.#deps = deps;
  }

  /** Returns the outcome of a call whose name is already used; undefined when the name is free. */
  async rejectTakenName(tx: Transaction, parent: ActivityContext, name: string): Promise<WaitOutcome | undefined> {
    const child = await findChildByName(tx, parent.activity_id, name);
    if (!child) return undefined;
    return usageError(
      `the name ${name} is already used by the child at position ${child.position}; choose another name`,
    );
  }

  async add(tx: Transaction, parent: ActivityContext, call: ChildWork, position: number): Promise<void> {
    const { run_id, activity_id: parent_id } = parent;
    const activity_id = this.#deps.ids.next('act');
    const { name } = call;
    await this.#deps.activities().add(tx, parent, [{ ...call, activity_id, parent: parent_id }]);
    await insertChild(tx, { parent_id, run_id, activity_id, name, position, exit_code: null, reported_at: null });
  }

  /** Collects a child and returns its outcome; undefined while it has not ended. */
  async collect(tx: Transaction, parent: ActivityContext, name: string): Promise<WaitOutcome | undefined> {
    const child = await findChildByName(tx, parent.activity_id, name);
    if (!child) return usageError(`there is no child ${name}; submit it with svc activity-submit ${name} first`);
    const end = await this.#deps.activities().end(tx, parent, child.activity_id);
    if (!end) return undefined;
    await markReported(tx, [child], this.#deps.database.now());
    return toWaitOutcome(end);
  }

  /** Returns the number of failures among the unreported children; undefined while one of them has not ended. */
  async collectAll(tx: Transaction, parent_id: string): Promise<WaitOutcome | undefined> {
    // This runs at the end of each of perhaps a thousand children, so all of them are read only once the last one has
    // ended.
    if (await hasUnfinished(tx, parent_id)) return undefined;
    const children = await readUnreported(tx, parent_id);
    await markAllReported(tx, parent_id, this.#deps.database.now());
    const failed = children.filter(({ exit_code }) => exit_code !== 0);
    const names = failed.map(({ name, exit_code }) => `${name} (exit code ${exit_code})`).join(', ');
    const message = failed.length === 0 ? undefined : `failed: ${names}`.slice(0, 4096);
    return { exit_code: 0, output: Buffer.from(`${failed.length}\n`), message };
  }

  waitForChild(tx: Transaction, wait: WaitRef, name: string): Promise<void> {
    return insertWait(tx, wait, nameKey(name));
  }

  waitForAll(tx: Transaction, wait: WaitRef): Promise<void> {
    return insertWait(tx, wait, ALL_CHILDREN);
  }

  /** Removes the registration of a wait that has ended, for whatever reason. */
  async removeWaits(tx: Transaction, waits: readonly WaitRef[]): Promise<void> {
    for (const wait of waits) await removeWait(tx, wait);
  }

  /** Records the end of a child, and resolves its parent's wait if that is complete. */
  async onChildEnd(tx: Transaction, run: ActivityScope, end: ActivityEnd): Promise<void> {
    const child = end.parent === null ? undefined : await findChild(tx, end.activity_id);
    if (!child) return;
    const outcome = toWaitOutcome(end);
    await markEnded(tx, end.activity_id, outcome.exit_code);
    if (end.result.status === 'succeeded')
      await this.#deps.activities().noteExit(tx, end.activity_id, outcome.exit_code);
    const wait = await findWait(tx, child.parent_id);
    if (!wait || wait.run_id !== run.run_id) return;
    const wait_outcome = await this.#findOutcome(tx, wait, child, outcome);
    if (wait_outcome) await this.#deps.resolver().resolve(tx, wait, wait_outcome);
  }

  async #findOutcome(
    tx: Transaction,
    wait: WaitRef & { name_key: string },
    child: Child,
    outcome: WaitOutcome,
  ): Promise<WaitOutcome | undefined> {
    if (wait.name_key === ALL_CHILDREN) return this.collectAll(tx, child.parent_id);
    if (wait.name_key !== child.name_key) return undefined;
    await markReported(tx, [child], this.#deps.database.now());
    return outcome;
  }
}
