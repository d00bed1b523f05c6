import type { Database, Ids, Transaction } from '../../../kernel/contracts/index.ts';
import type {
  Activities,
  ActivityContext,
  ActivityEnd,
  ActivityScope,
  WaitOutcome,
  WaitRef,
  WaitResolver,
} from '../../runs/contract.ts';
import { type ChildWork, nameKey } from '../domain/child-call.ts';
import { outcomeOf } from '../domain/outcome.ts';
import {
  ALL,
  type Child,
  childNamed,
  childOf,
  insertChild,
  insertWait,
  removeWait,
  setEnded,
  setAllReported,
  setReported,
  someOpen,
  unreported,
  waitOf,
} from '../store/rows.ts';

/** For a name that is taken, or unknown. */
const USAGE = 2;

export interface ChildActivitiesParts {
  database: Pick<Database, 'now'>;
  ids: Ids;
  activities: () => Activities;
  resolver: () => WaitResolver;
}

const refusal = (message: string): WaitOutcome => ({ exit_code: USAGE, output: Buffer.alloc(0), message });

/** Parents and children. The caller of every method holds the row of their run in its transaction. */
export class ChildActivities {
  readonly #parts: ChildActivitiesParts;

  constructor(parts: ChildActivitiesParts) {
    this.#parts = parts;
  }

  /** The outcome of a call with a taken name; undefined when the name is free. */
  async taken(tx: Transaction, parent: ActivityContext, name: string): Promise<WaitOutcome | undefined> {
    const child = await childNamed(tx, parent.activity_id, name);
    if (!child) return undefined;
    return refusal(`the name ${name} is already used by the child at position ${child.position}; choose another name`);
  }

  async add(tx: Transaction, parent: ActivityContext, call: ChildWork, position: number): Promise<void> {
    const { run_id, activity_id: parent_id } = parent;
    const activity_id = this.#parts.ids.next('act');
    const { name } = call;
    await this.#parts.activities().add(tx, parent, [{ ...call, activity_id, parent: parent_id }]);
    await insertChild(tx, { parent_id, run_id, activity_id, name, position, exit_code: null, reported_at: null });
  }

  /** The outcome of collecting a child; undefined while it has not ended. */
  async collect(tx: Transaction, parent: ActivityContext, name: string): Promise<WaitOutcome | undefined> {
    const child = await childNamed(tx, parent.activity_id, name);
    if (!child) return refusal(`there is no child ${name}; submit it with svc activity-submit ${name} first`);
    const end = await this.#parts.activities().end(tx, parent, child.activity_id);
    if (!end) return undefined;
    await setReported(tx, [child], this.#parts.database.now());
    return outcomeOf(end);
  }

  /** The number of failures among the unreported children; undefined while one of them has not ended. */
  async collectAll(tx: Transaction, parent_id: string): Promise<WaitOutcome | undefined> {
    // Called at the end of each of perhaps a thousand children: all of them are read only at the last one.
    if (await someOpen(tx, parent_id)) return undefined;
    const children = await unreported(tx, parent_id);
    await setAllReported(tx, parent_id, this.#parts.database.now());
    const failed = children.filter(({ exit_code }) => exit_code !== 0);
    const names = failed.map(({ name, exit_code }) => `${name} (exit code ${exit_code})`).join(', ');
    const message = failed.length === 0 ? {} : { message: `failed: ${names}`.slice(0, 4096) };
    return { exit_code: 0, output: Buffer.from(`${failed.length}\n`), ...message };
  }

  awaitOne(tx: Transaction, wait: WaitRef, name: string): Promise<void> {
    return insertWait(tx, wait, nameKey(name));
  }

  awaitAll(tx: Transaction, wait: WaitRef): Promise<void> {
    return insertWait(tx, wait, ALL);
  }

  /** Removes the registration of a wait that has ended, however it ended. */
  async forget(tx: Transaction, waits: readonly WaitRef[]): Promise<void> {
    for (const wait of waits) await removeWait(tx, wait);
  }

  /** A child has ended: resolves its parent's wait if that is complete. */
  async ended(tx: Transaction, run: ActivityScope, end: ActivityEnd): Promise<void> {
    const child = end.parent === null ? undefined : await childOf(tx, end.activity_id);
    if (!child) return;
    const outcome = outcomeOf(end);
    await setEnded(tx, end.activity_id, outcome.exit_code);
    if (end.result.status === 'succeeded')
      await this.#parts.activities().noteExit(tx, end.activity_id, outcome.exit_code);
    const wait = await waitOf(tx, child.parent_id);
    if (!wait || wait.run_id !== run.run_id) return;
    const answer = await this.#answer(tx, wait, child, outcome);
    if (answer) await this.#parts.resolver().resolve(tx, wait, answer);
  }

  async #answer(
    tx: Transaction,
    wait: WaitRef & { name_key: string },
    child: Child,
    outcome: WaitOutcome,
  ): Promise<WaitOutcome | undefined> {
    if (wait.name_key === ALL) return this.collectAll(tx, child.parent_id);
    if (wait.name_key !== child.name_key) return undefined;
    await setReported(tx, [child], this.#parts.database.now());
    return outcome;
  }
}
