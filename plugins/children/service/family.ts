import type { Database, Ids, Transaction } from '../../../kernel/contracts/index.ts';
import { token } from '../../../kernel/contracts/index.ts';
import type {
  Activities,
  ActivityContext,
  ActivityEnd,
  ActivityScope,
  WaitOutcome,
  WaitRef,
  WaitResolver,
} from '../../runs/contract.ts';
import { type ChildCall, nameKey } from '../domain/child-call.ts';
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

/** The executor that runs commands on an agent. */
const EXECUTOR = 'command';
/** A name that is taken, or that nobody has. */
const USAGE = 2;

export interface FamilyParts {
  database: Pick<Database, 'now'>;
  ids: Ids;
  activities: () => Activities;
  resolver: () => WaitResolver;
}

const refusal = (message: string): WaitOutcome => ({ exit_code: USAGE, output: Buffer.alloc(0), message });

/** Parents and children. Every method is called in a transaction that holds the row of their run. */
export class Family {
  readonly #parts: FamilyParts;

  constructor(parts: FamilyParts) {
    this.#parts = parts;
  }

  /** What a call with a name that is taken comes to; undefined when the name is free. */
  async taken(tx: Transaction, parent: ActivityContext, name: string): Promise<WaitOutcome | undefined> {
    const child = await childNamed(tx, parent.activity_id, name);
    if (!child) return undefined;
    return refusal(`the name ${name} was given to a child before, at position ${child.position}; choose another`);
  }

  async add(tx: Transaction, parent: ActivityContext, call: ChildCall, position: number): Promise<void> {
    const { run_id, activity_id: parent_id } = parent;
    const activity_id = this.#parts.ids.next('act');
    const { name, argv, requires } = call;
    const activity = { activity_id, name, executor: EXECUTOR, spec: { argv }, requires, parent: parent_id };
    await this.#parts.activities().add(tx, parent, [activity]);
    await insertChild(tx, { parent_id, run_id, activity_id, name, position, exit_code: null, reported_at: null });
  }

  /** What collecting a child comes to by now; undefined while it has not ended. */
  async collect(tx: Transaction, parent: ActivityContext, name: string): Promise<WaitOutcome | undefined> {
    const child = await childNamed(tx, parent.activity_id, name);
    if (!child) return refusal(`no child ${name} was submitted; submit it with svc activity-submit ${name} first`);
    const end = await this.#parts.activities().end(tx, parent, child.activity_id);
    if (!end) return undefined;
    await setReported(tx, [child], this.#parts.database.now());
    return outcomeOf(end);
  }

  /** The number of failures among those that were not reported; undefined while one of them has not ended. */
  async collectAll(tx: Transaction, parent_id: string): Promise<WaitOutcome | undefined> {
    // Asked at the end of each of perhaps a thousand children: all of them are read at the last one only.
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

  /** However a wait ended, nothing looks for it any more. */
  async forget(tx: Transaction, waits: readonly WaitRef[]): Promise<void> {
    for (const wait of waits) await removeWait(tx, wait);
  }

  /** A child has ended: what its parent waits for may be there. */
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

export const OwnFamily = token<Family>('children.Family');
