import type { Database, Sealer, Transaction } from '../../../../kernel/contracts/index.ts';
import { type CoordinatedRun, type Json, type NewActivity, type NodeSpans, PAUSED_DUE } from '../../runs/contract.ts';
import { isTerminal, newRow, NODE_ITEM } from '../domain/decide.ts';
import type { PlannedNode } from '../domain/plan.ts';
import { type FlowActivity, insertActivities } from '../store/activity-rows.ts';
import { type FlowRow, insertFlow, updateFlow } from '../store/flow-row.ts';
import { encodeFinishedFlow } from '../store/finished-flow.ts';
import { CHUNK_SIZE, insertList, PLAN, readChunks } from '../store/lists.ts';
import { toNodeSpan } from './node-spans.ts';
import { readNodes, readOpenItems, type StoredNode, writeNodes } from '../store/node-rows.ts';

export interface MemoryDeps {
  database: Pick<Database, 'now'>;
  sealer: Sealer;
  /** Undefined when tracing is off. */
  spans: NodeSpans['over'];
}

const rowKey = (n: number, item: number): string => `${n}/${item}`;

/**
 * The state of a flow in one transaction. Chunks of the plan and rows of nodes are read once, when first needed.
 * Changed rows are written at the end in few statements.
 */
export class FlowMemory {
  readonly tx: Transaction;
  readonly run: CoordinatedRun;
  readonly flow: FlowRow;
  readonly #deps: MemoryDeps;
  /** The plan of a flow that begins in this transaction, so that there are no rows of nodes to read. */
  readonly #new_plan: readonly PlannedNode[] | undefined;
  #stored: boolean;
  #has_activities = false;
  /** A flow that began and ended in this transaction. It is stored with the end of its run. */
  #finished: Buffer | undefined;
  readonly #plan = new Map<number, readonly PlannedNode[]>();
  readonly #items = new Map<string, readonly Json[]>();
  readonly #rows = new Map<string, StoredNode>();
  readonly #changed = new Set<StoredNode>();
  /** Rows that had ended before this transaction, or whose spans are reported already. */
  readonly #reported = new Set<StoredNode>();
  #activities: NewActivity[] = [];
  #activity_rows: FlowActivity[] = [];

  constructor(deps: MemoryDeps, tx: Transaction, run: CoordinatedRun, flow: FlowRow, plan?: readonly PlannedNode[]) {
    this.#deps = deps;
    this.tx = tx;
    this.run = run;
    this.flow = flow;
    this.#new_plan = plan;
    this.#stored = plan === undefined;
    for (let chunk = 0; plan && chunk * CHUNK_SIZE < plan.length; chunk++)
      this.#plan.set(chunk, plan.slice(chunk * CHUNK_SIZE, (chunk + 1) * CHUNK_SIZE));
  }

  get now(): number {
    return this.#deps.database.now();
  }

  /** The flow as one value, if it has begun and ended in this transaction. Whoever takes it must store it. */
  consumeFinished(): Buffer | undefined {
    const finished = this.#finished;
    this.#finished = undefined;
    return finished;
  }

  /** Reads these nodes and their rows in few statements. */
  async load(ns: readonly number[], items: readonly { n: number; item: number }[] = []): Promise<void> {
    const missing = [...new Set(ns.map((n) => Math.floor(n / CHUNK_SIZE)))].filter((chunk) => !this.#plan.has(chunk));
    if (missing.length > 0) {
      const chunks = await readChunks<PlannedNode>(this.tx, this.#deps.sealer, this.run, PLAN, missing);
      for (const [chunk, nodes] of chunks) this.#plan.set(chunk, nodes);
    }
    if (this.#new_plan) return;
    const keys = [...ns.map((n) => ({ n, item: NODE_ITEM })), ...items].filter(
      ({ n, item }) => !this.#rows.has(rowKey(n, item)),
    );
    if (keys.length === 0) return;
    for (const row of await readNodes(this.tx, this.run.run_id, keys)) {
      this.#rows.set(rowKey(row.n, row.item), row);
      if (isTerminal(row)) this.#reported.add(row);
    }
    // Nodes without a row get one in memory, so that they are not read again.
    for (const { n, item } of keys) this.row(n, item);
  }

  /** The node must be loaded. */
  node(n: number): PlannedNode {
    return this.#plan.get(Math.floor(n / CHUNK_SIZE))![n % CHUNK_SIZE]!;
  }

  /** Returns a loaded row, or creates one if the node has none yet. */
  row(n: number, item = NODE_ITEM): StoredNode {
    const key = rowKey(n, item);
    const findItem = this.#rows.get(key);
    if (findItem) return findItem;
    const created = { ...newRow(n, item, item === NODE_ITEM ? this.node(n).needs : 0), output: null };
    this.#rows.set(key, created);
    return created;
  }

  /** Returns the item if it is in memory. */
  findItem(n: number, item: number): StoredNode | undefined {
    return this.#rows.get(rowKey(n, item));
  }

  /** Items of a node that changed in this transaction and may not be stored yet. */
  changedItems(n: number): StoredNode[] {
    return [...this.#changed].filter((row) => row.n === n && row.item >= 0);
  }

  markChanged(row: StoredNode): StoredNode {
    this.#changed.add(row);
    return row;
  }

  /** The items of a fan-out that begins in this transaction. */
  cacheItems(n: number, items: readonly Json[]): void {
    for (let chunk = 0; chunk * CHUNK_SIZE < items.length; chunk++)
      this.#items.set(rowKey(n, chunk), items.slice(chunk * CHUNK_SIZE, (chunk + 1) * CHUNK_SIZE));
  }

  async readItem(n: number, item: number): Promise<Json> {
    const chunk = Math.floor(item / CHUNK_SIZE);
    if (!this.#items.has(rowKey(n, chunk))) {
      const chunks = await readChunks<Json>(this.tx, this.#deps.sealer, this.run, n, [chunk]);
      for (const [number, items] of chunks) this.#items.set(rowKey(n, number), items);
    }
    return this.#items.get(rowKey(n, chunk))![item % CHUNK_SIZE]!;
  }

  /** Written with the rest, unless its owner has been cancelled by then. */
  addActivity(activity: NewActivity): void {
    this.#activities.push(activity);
  }

  addActivityRow(activity: FlowActivity): void {
    this.#has_activities = true;
    this.#activity_rows.push(activity);
  }

  /** Cancels activities in progress: all of the run, or these. */
  async cancel(reason: string, activity_ids?: readonly string[]): Promise<void> {
    await this.#flush();
    await this.run.cancel(reason, activity_ids);
  }

  /** Items of a fan-out in progress; at most as many as its concurrency. */
  async openItems(n: number): Promise<StoredNode[]> {
    const stored = this.#new_plan ? [] : await readOpenItems(this.tx, this.run.run_id, n);
    for (const row of stored) if (!this.findItem(n, row.item)) this.#rows.set(rowKey(n, row.item), row);
    return [...this.#rows.values()].filter((row) => row.n === n && row.item !== NODE_ITEM && !isTerminal(row));
  }

  /** Cancels the items of a fan-out that are in progress. */
  async cancelItems(n: number, reason: string): Promise<void> {
    const items = await this.openItems(n);
    for (const item of items) {
      this.markChanged(item).state = 'cancelled';
      item.finished_at = this.now;
    }
    const ids = items.flatMap(({ activity_id }) => activity_id ?? []);
    if (ids.length > 0) await this.cancel(reason, ids);
  }

  async save(): Promise<void> {
    await this.#flush();
    this.#reportSpans();
    const { tx, run, flow } = this;
    const { sealer } = this.#deps;
    const rows = [...this.#changed];
    if (this.#stored) {
      await writeNodes(tx, sealer, run, rows);
      await updateFlow(tx, run.run_id, flow, this.#resumeAt);
      return;
    }
    this.#stored = true;
    const plan = this.#new_plan!;
    this.#finished = this.#isFinished() ? encodeFinishedFlow(flow, plan, rows) : undefined;
    if (this.#finished) return;
    await insertList(tx, sealer, run, PLAN, plan);
    await writeNodes(tx, sealer, run, rows);
    await insertFlow(tx, sealer, run, flow, this.#resumeAt);
  }

  /** When pending steps are due. */
  get #resumeAt(): number {
    return this.run.paused ? PAUSED_DUE : this.now;
  }

  /** True when a flow that begins in this transaction has ended in it, and nothing else refers to its nodes. */
  #isFinished(): boolean {
    const { ended, nodes, todo } = this.flow;
    return ended === nodes && todo.length === 0 && !this.#has_activities && this.#items.size === 0;
  }

  /** Reports the nodes that have ended to the run's trace. */
  #reportSpans(): void {
    const { spans } = this.#deps;
    if (!spans) return;
    const ended = [...this.#changed].filter((row) => isTerminal(row) && !this.#reported.has(row));
    for (const row of ended) this.#reported.add(row);
    const nodes = ended.flatMap((row) => {
      const node = this.#plan.get(Math.floor(row.n / CHUNK_SIZE))?.[row.n % CHUNK_SIZE];
      return (node && toNodeSpan(node, row)) ?? [];
    });
    if (nodes.length > 0) spans(this.tx, this.run.run_id, nodes);
  }

  async #flush(): Promise<void> {
    if (this.#activities.length > 0) await this.run.add(this.#activities);
    if (this.#activity_rows.length > 0) await insertActivities(this.tx, this.run.run_id, this.#activity_rows);
    this.#activities = [];
    this.#activity_rows = [];
  }
}
