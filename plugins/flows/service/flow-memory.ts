import type { Database, Sealer, Transaction } from '../../../kernel/contracts/index.ts';
import type { CoordinatedRun, Json, NewActivity, NodeSpans } from '../../runs/contract.ts';
import { isOver, newRow, WHOLE } from '../domain/decide.ts';
import type { PlannedNode } from '../domain/plan.ts';
import { type FlowActivity, insertActivities } from '../store/activity-rows.ts';
import { type FlowRow, insertFlow, updateFlow } from '../store/flow-row.ts';
import { PART, PLAN, readParts } from '../store/lists.ts';
import { nodeSpanOf } from './node-spans.ts';
import { readNodes, readOpenItems, type StoredNode, writeNodes } from '../store/node-rows.ts';

export interface MemoryParts {
  database: Pick<Database, 'now'>;
  sealer: Sealer;
  /** Undefined: nobody traces. */
  spans: NodeSpans['over'];
}

const keyOf = (n: number, item: number): string => `${n}/${item}`;

/**
 * The state of a flow in one transaction. Parts of its plan and rows of its nodes are read once, when first needed;
 * changed rows are written at the end in few statements.
 */
export class FlowMemory {
  readonly tx: Transaction;
  readonly run: CoordinatedRun;
  readonly flow: FlowRow;
  readonly #parts: MemoryParts;
  /** The flow begins: there are no node rows yet. */
  readonly #fresh: boolean;
  #stored: boolean;
  readonly #plan = new Map<number, readonly PlannedNode[]>();
  readonly #items = new Map<string, readonly Json[]>();
  readonly #rows = new Map<string, StoredNode>();
  readonly #changed = new Set<StoredNode>();
  /** Over before this transaction, or told already. */
  readonly #told = new Set<StoredNode>();
  #activities: NewActivity[] = [];
  #meanings: FlowActivity[] = [];

  constructor(parts: MemoryParts, tx: Transaction, run: CoordinatedRun, flow: FlowRow, plan?: readonly PlannedNode[]) {
    this.#parts = parts;
    this.tx = tx;
    this.run = run;
    this.flow = flow;
    this.#fresh = plan !== undefined;
    this.#stored = plan === undefined;
    for (let part = 0; plan && part * PART < plan.length; part++)
      this.#plan.set(part, plan.slice(part * PART, (part + 1) * PART));
  }

  get now(): number {
    return this.#parts.database.now();
  }

  /** Reads these nodes and their rows in few statements. */
  async load(ns: readonly number[], items: readonly { n: number; item: number }[] = []): Promise<void> {
    const missing = [...new Set(ns.map((n) => Math.floor(n / PART)))].filter((part) => !this.#plan.has(part));
    if (missing.length > 0) {
      const found = await readParts<PlannedNode>(this.tx, this.#parts.sealer, this.run, PLAN, missing);
      for (const [part, nodes] of found) this.#plan.set(part, nodes);
    }
    if (this.#fresh) return;
    const keys = [...ns.map((n) => ({ n, item: WHOLE })), ...items].filter(
      ({ n, item }) => !this.#rows.has(keyOf(n, item)),
    );
    if (keys.length === 0) return;
    for (const row of await readNodes(this.tx, this.run.run_id, keys)) {
      this.#rows.set(keyOf(row.n, row.item), row);
      if (isOver(row)) this.#told.add(row);
    }
    // Nodes without a row get one in memory, so that they are not looked for again.
    for (const { n, item } of keys) this.row(n, item);
  }

  /** The node must be loaded. */
  node(n: number): PlannedNode {
    return this.#plan.get(Math.floor(n / PART))![n % PART]!;
  }

  /** Loaded, or new if nothing has changed the node yet. */
  row(n: number, item = WHOLE): StoredNode {
    const key = keyOf(n, item);
    const known = this.#rows.get(key);
    if (known) return known;
    const made = { ...newRow(n, item, item === WHOLE ? this.node(n).needs : 0), output: null };
    this.#rows.set(key, made);
    return made;
  }

  /** The item, if it is in memory. */
  known(n: number, item: number): StoredNode | undefined {
    return this.#rows.get(keyOf(n, item));
  }

  /** Items of a node that changed in this transaction and may not be stored yet. */
  changedItems(n: number): StoredNode[] {
    return [...this.#changed].filter((row) => row.n === n && row.item >= 0);
  }

  change(row: StoredNode): StoredNode {
    this.#changed.add(row);
    return row;
  }

  /** The items of a fan-out that begins in this transaction. */
  keepItems(n: number, items: readonly Json[]): void {
    for (let part = 0; part * PART < items.length; part++)
      this.#items.set(keyOf(n, part), items.slice(part * PART, (part + 1) * PART));
  }

  async itemOf(n: number, item: number): Promise<Json> {
    const part = Math.floor(item / PART);
    if (!this.#items.has(keyOf(n, part))) {
      const found = await readParts<Json>(this.tx, this.#parts.sealer, this.run, n, [part]);
      for (const [number, items] of found) this.#items.set(keyOf(n, number), items);
    }
    return this.#items.get(keyOf(n, part))![item % PART]!;
  }

  /** Written with the rest, unless its owner has been cancelled by then. */
  add(activity: NewActivity): void {
    this.#activities.push(activity);
  }

  mean(activity: FlowActivity): void {
    this.#meanings.push(activity);
  }

  /** Cancels activities in progress: all of the run, or these. */
  async cancel(reason: string, activity_ids?: readonly string[]): Promise<void> {
    await this.#flush();
    await this.run.cancel(reason, activity_ids);
  }

  /** Items of a fan-out in progress; at most as many as its concurrency. */
  async openItems(n: number): Promise<StoredNode[]> {
    const stored = this.#fresh ? [] : await readOpenItems(this.tx, this.run.run_id, n);
    for (const row of stored) if (!this.known(n, row.item)) this.#rows.set(keyOf(n, row.item), row);
    return [...this.#rows.values()].filter((row) => row.n === n && row.item !== WHOLE && !isOver(row));
  }

  /** Cancels the items of a fan-out that are in progress. */
  async cancelItems(n: number, reason: string): Promise<void> {
    const items = await this.openItems(n);
    for (const item of items) {
      this.change(item).state = 'cancelled';
      item.finished_at = this.now;
    }
    const ids = items.flatMap(({ activity_id }) => activity_id ?? []);
    if (ids.length > 0) await this.cancel(reason, ids);
  }

  async save(): Promise<void> {
    await this.#flush();
    await writeNodes(this.tx, this.run.run_id, [...this.#changed]);
    this.#tell();
    // A flow that begins has no row yet.
    if (this.#stored) await updateFlow(this.tx, this.run.run_id, this.flow, this.now);
    else await insertFlow(this.tx, this.#parts.sealer, this.run, this.flow, this.now);
    this.#stored = true;
  }

  /** For the run's trace. */
  #tell(): void {
    const { spans } = this.#parts;
    if (!spans) return;
    const over = [...this.#changed].filter((row) => isOver(row) && !this.#told.has(row));
    for (const row of over) this.#told.add(row);
    const nodes = over.flatMap((row) => {
      const node = this.#plan.get(Math.floor(row.n / PART))?.[row.n % PART];
      return (node && nodeSpanOf(node, row)) ?? [];
    });
    if (nodes.length > 0) spans(this.tx, this.run.run_id, nodes);
  }

  async #flush(): Promise<void> {
    if (this.#activities.length > 0) await this.run.add(this.#activities);
    if (this.#meanings.length > 0) await insertActivities(this.tx, this.run.run_id, this.#meanings);
    this.#activities = [];
    this.#meanings = [];
  }
}
