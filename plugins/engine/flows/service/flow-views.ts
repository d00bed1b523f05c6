import { type Database, Errors, type Sealer } from '../../../../kernel/contracts/index.ts';
import type {
  Activities,
  CoordinatedNode,
  Coordination,
  Json,
  NodeList,
  NodePage,
  NodeWork,
} from '../../runs/contract.ts';
import type { FlowPlan, Flows } from '../contract.ts';
import { newRow, NODE_ITEM } from '../domain/decide.ts';
import { hasComputedLabels, itemLabel } from '../domain/labels.ts';
import { type PlannedNode, validatePlan } from '../domain/plan.ts';
import { flowInvalid } from '../errors.ts';
import { type EarlierAttempt, readEarlierAttempts } from '../store/activity-rows.ts';
import { readAnyFlow } from '../store/any-flow.ts';
import type { ReadableFlow } from '../store/finished-flow.ts';
import { CHUNK_SIZE, readChunks } from '../store/lists.ts';
import type { NodeReader } from '../store/node-reader.ts';
import { readOutputs, takePage } from '../store/outputs.ts';
import type { ListedNode, StoredNode } from '../store/node-rows.ts';
import type { FlowScope } from '../store/sealing.ts';

/** The name of this coordinator. */
export const FLOWS = 'flows';

/** Matches the name of an item's activity. */
const ITEM = /^(.*)\[(\d+)\]$/;

const MAX_PAGE = 1000;
/** Nodes that an error names. */
const MAX_LISTED_NODES = 50;

export interface FlowViewsDeps {
  database: Pick<Database, 'read'>;
  sealer: Sealer;
  activities: () => Pick<Activities, 'ends' | 'outputBytes' | 'record'>;
}

/** Reads nodes and items for lists. */
export class FlowViews {
  readonly #deps: FlowViewsDeps;

  constructor(deps: FlowViewsDeps) {
    this.#deps = deps;
  }

  /** Nodes in plan order, or items of one. Empty when the run is not a flow. Throws `not_found`. */
  async list(scope: FlowScope, page: NodePage): Promise<NodeList> {
    const limit = Math.min(page.limit, MAX_PAGE);
    const flow = await this.#flow(scope);
    if (!flow) return { nodes: [], more: false };
    const rows = await (page.of === undefined
      ? readNodePage(flow, page, limit)
      : readItemPage(flow, page, page.of, limit));
    const earlier = await this.#readEarlierAttempts(scope, rows);
    const values = await this.#computedValues(scope, rows);
    const views = rows.map(([node, row]) => ({
      ...toNodeView(node, row, flow.flow.stopped === 1, earlier(row)),
      label: itemLabel(node, row.item, values(row)),
    }));
    const nodes = page.outputs ? await this.#withOutputs(scope, flow.reader, rows, views) : views;
    const more = nodes.length < views.length || views.length === limit;
    return { nodes: toAuthoredNodes(rows, nodes), more, last: nodes.at(-1)?.place };
  }

  /** Returns true when more than one node or item may write to the log. */
  async hasSeveral(scope: FlowScope): Promise<boolean> {
    const flow = await this.#flow(scope);
    if (!flow || flow.flow.nodes > 1) return flow !== undefined;
    const [only] = await readPlan(flow.reader, 0, 1);
    return only?.fan_out !== undefined;
  }

  /** Returns a function that maps the name of an activity to its label; undefined when it has none. */
  async labels(scope: FlowScope): Promise<(name: string) => Promise<string | undefined>> {
    const plan = await readFullPlan(await this.#flow(scope));
    const named = new Map(plan.flatMap((node) => (node.fan_out?.named ? [[node.id, node] as const] : [])));
    return async (name) => {
      const [, id = '', number] = ITEM.exec(name) ?? [];
      const node = named.get(id);
      if (!node) return undefined;
      const row = { n: node.n, item: Number(number) };
      return itemLabel(node, row.item, (await this.#computedValues(scope, [[node, row]]))(row));
    };
  }

  /** Reads the values of items whose labels the plan does not contain. */
  async #computedValues(
    scope: FlowScope,
    rows: readonly (readonly [PlannedNode, { n: number; item: number }])[],
  ): Promise<(row: { n: number; item: number }) => Json | undefined> {
    const computed = rows.filter(([node, { item }]) => item !== NODE_ITEM && hasComputedLabels(node));
    const { database, sealer } = this.#deps;
    const lists = new Map<number, Map<number, Json[]>>();
    for (const [n, items] of Map.groupBy(computed, ([, row]) => row.n)) {
      const numbers = [...new Set(items.map(([, { item }]) => Math.floor(item / CHUNK_SIZE)))];
      lists.set(n, await readChunks<Json>(database, sealer, scope, n, numbers));
    }
    return ({ n, item }) => lists.get(n)?.get(Math.floor(item / CHUNK_SIZE))?.[item % CHUNK_SIZE];
  }

  /** Finds a node or an item by its id or its label; undefined when there is none. */
  async findNode(scope: FlowScope, name: string): Promise<NodeWork | undefined> {
    const flow = await this.#flow(scope);
    const plan = await readFullPlan(flow);
    const target = findTarget(plan, name) ?? (await this.#findComputed(scope, plan, name));
    if (!flow || !target) return undefined;
    const { node, item } = target;
    const [row] = await flow.reader.nodes([{ n: node.n, item }]);
    const hasSeveral = node.fan_out !== undefined && item === NODE_ITEM;
    const activity_id = hasSeveral ? null : (row?.activity_id ?? null);
    const reused_from = node.kept === undefined ? undefined : flow.flow.header.kept;
    return {
      node: node.id,
      item: item === NODE_ITEM ? null : item,
      several: hasSeveral,
      activity_id,
      ...(reused_from && { kept_from: reused_from }),
    };
  }

  /** Finds an item by a label that the plan does not contain. */
  async #findComputed(
    scope: FlowScope,
    plan: readonly PlannedNode[],
    name: string,
  ): Promise<{ node: PlannedNode; item: number } | undefined> {
    const { database, sealer } = this.#deps;
    for (const node of plan) {
      if (!hasComputedLabels(node) || !name.startsWith(`${node.id} (`)) continue;
      for (let part = 0; ; part++) {
        const values = (await readChunks<Json>(database, sealer, scope, node.n, [part])).get(part) ?? [];
        const found = values.findIndex((value, i) => itemLabel(node, part * CHUNK_SIZE + i, value) === name);
        if (found >= 0) return { node, item: part * CHUNK_SIZE + found };
        if (values.length < CHUNK_SIZE) break;
      }
    }
    return undefined;
  }

  /** Reads the ended attempts of nodes and items that were attempted again. */
  async #readEarlierAttempts(scope: FlowScope, rows: readonly (readonly [PlannedNode, ListedNode])[]) {
    // During a pause, the newest attempt has ended as well.
    const countEnded = ({ state, attempt }: StoredNode) => (state === 'backoff' ? attempt : attempt - 1);
    const repeated = rows.flatMap(([, row]) =>
      countEnded(row) > 0 ? [{ n: row.n, item: row.item, before: countEnded(row) + 1 }] : [],
    );
    const attempts = await readEarlierAttempts(this.#deps.database, scope.run_id, repeated);
    const by_row = Map.groupBy(attempts, rowKey);
    return (row: StoredNode) => by_row.get(rowKey(row)) ?? [];
  }

  async #flow(scope: FlowScope): Promise<ReadableFlow | undefined> {
    await this.#deps.sealer.prepare(scope.org_id);
    const { database, sealer, activities } = this.#deps;
    return readAnyFlow(database, { sealer, activities: activities() }, scope);
  }

  /** Reads outputs for as many rows as fit on a page, at least one. Outputs that do not fit are not read. */
  async #withOutputs(
    scope: FlowScope,
    reader: NodeReader,
    rows: readonly (readonly [PlannedNode, ListedNode])[],
    views: readonly CoordinatedNode[],
  ): Promise<CoordinatedNode[]> {
    const { database, sealer, activities } = this.#deps;
    const page_rows = await takePage(
      database,
      activities(),
      scope,
      rows.map(([, row]) => row),
    );
    const with_output = page_rows.filter(({ output_bytes }) => output_bytes !== null);
    const stored_outputs = new Map((await reader.nodes(with_output)).map((row) => [rowKey(row), row.output]));
    const filled = page_rows.map((row): StoredNode => ({ ...row, output: stored_outputs.get(rowKey(row)) ?? null }));
    const outputs = await readOutputs(database, { sealer, activities: activities() }, scope, filled);
    return outputs.map((output, i) => ({ ...views[i]!, ...(output === undefined ? {} : { output }) }));
  }
}

/** The planned nodes from `first` up to `last`, exclusive. */
export async function readPlan(reader: NodeReader, first: number, last: number): Promise<PlannedNode[]> {
  const chunk_numbers = [];
  for (let chunk_number = Math.floor(first / CHUNK_SIZE); chunk_number * CHUNK_SIZE < last; chunk_number++)
    chunk_numbers.push(chunk_number);
  const read = await reader.plan(chunk_numbers);
  return chunk_numbers
    .flatMap((chunk_number) => read.get(chunk_number) ?? [])
    .filter(({ n }) => n >= first && n < last);
}

const readFullPlan = async (flow: ReadableFlow | undefined): Promise<PlannedNode[]> =>
  flow ? readPlan(flow.reader, 0, flow.flow.nodes) : [];

async function readNodePage({ flow, reader }: ReadableFlow, { after, open }: NodePage, limit: number) {
  if (open) {
    const rows = await reader.listOpen(after, limit);
    const plan = await reader.plan([...new Set(rows.map(({ n }) => Math.floor(n / CHUNK_SIZE)))]);
    return rows.map((row) => [plan.get(Math.floor(row.n / CHUNK_SIZE))![row.n % CHUNK_SIZE]!, row] as const);
  }
  const plan = await readPlan(reader, after + 1, Math.min(after + 1 + limit, flow.nodes));
  const keys = plan.map(({ n }) => ({ n, item: NODE_ITEM }));
  const rows = new Map((await reader.listNodes(keys)).map((row) => [row.n, row]));
  return plan.map((node) => [node, rows.get(node.n) ?? unstartedRow(node)] as const);
}

async function readItemPage(flow: ReadableFlow, { after, open }: NodePage, node_id: string, limit: number) {
  const { reader } = flow;
  const plan = await readFullPlan(flow);
  const node = plan.find(({ id }) => id === node_id);
  if (!node) throw nodeNotFound(node_id, plan);
  const from = Math.max(after, NODE_ITEM);
  const rows = open
    ? (await reader.listOpenItems(node.n)).filter(({ item }) => item > from).slice(0, limit)
    : await reader.listItems(node.n, from, limit);
  return rows.map((row) => [node, row] as const);
}

/** Implements the API for other plugins. */
export function createFlows(views: FlowViews): Flows {
  return {
    check: assertValidPlan,
    coordination(plan): Coordination {
      assertValidPlan(plan);
      return { by: FLOWS, plan };
    },
    nodes: async (scope, run_id, page) => (await views.list({ ...scope, run_id }, page)).nodes,
    items: async (scope, run_id, node, page) => (await views.list({ ...scope, run_id }, { ...page, of: node })).nodes,
  };
}

function assertValidPlan(plan: FlowPlan): void {
  const errors = validatePlan(plan);
  if (errors.length === 0) return;
  const listed = errors.slice(0, 3).map(({ pointer, message }) => `${pointer} ${message}`);
  throw flowInvalid(listed.join('; ') + (errors.length > 3 ? `; and ${errors.length - 3} more` : ''), { errors });
}

const unstartedRow = (node: PlannedNode): ListedNode => ({
  ...newRow(node.n, NODE_ITEM, node.needs),
  output: null,
  output_bytes: null,
});

const rowKey = ({ n, item }: { n: number; item: number }): string => `${n}/${item}`;

/** Finds a node or an item by `build`, `build[2]` or `build (node=20)`. */
function findTarget(plan: readonly PlannedNode[], name: string): { node: PlannedNode; item: number } | undefined {
  const [, of, number] = ITEM.exec(name) ?? [];
  const node = plan.find(({ id }) => id === (of ?? name));
  if (node) return { node, item: of === undefined ? NODE_ITEM : Number(number) };
  for (const candidate of plan) {
    const { items } = candidate.fan_out?.named && name.startsWith(`${candidate.id} (`) ? candidate.fan_out : NO_ITEMS;
    const item = (Array.isArray(items) ? items : []).findIndex((_, i) => itemLabel(candidate, i) === name);
    if (item >= 0) return { node: candidate, item };
  }
  return undefined;
}

const NO_ITEMS = { items: [] } as const;

const nodeNotFound = (id: string, plan: readonly PlannedNode[]) => Errors.notFound(describeUnknownNode(id, plan));

/** Describes an unknown node and lists the nodes of the run. */
export function describeUnknownNode(id: string, plan: readonly Pick<PlannedNode, 'id' | 'part_of'>[]): string {
  const written = plan.filter(({ part_of }) => part_of === undefined).map((node) => node.id);
  const more = written.length > MAX_LISTED_NODES ? `, and ${written.length - MAX_LISTED_NODES} more` : '';
  const listed = written.slice(0, MAX_LISTED_NODES).join(', ') + more;
  return `there is no node ${JSON.stringify(id.slice(0, 128))} in this run; its nodes are ${listed}`;
}

/**
 * Returns only nodes that the author wrote. A node that waits for a helper node, such as one that takes a lease, shows
 * the state of the helper.
 */
function toAuthoredNodes(
  rows: readonly (readonly [PlannedNode, StoredNode])[],
  views: readonly CoordinatedNode[],
): CoordinatedNode[] {
  const authored = views.filter((_, i) => rows[i]![0].part_of === undefined);
  for (const [i, view] of views.entries()) {
    const { part_of } = rows[i]![0];
    if (part_of === undefined || part_of === 'run' || !VISIBLE_STATES.includes(view.state)) continue;
    const at = authored.findIndex(({ id }) => id === part_of.node);
    const authored_view = authored[at];
    if (authored_view && authored_view.state !== 'waiting' && authored_view.state !== 'skipped') continue;
    if (!authored_view && view.state === 'failed') continue;
    const instead = { ...view, id: part_of.node, type: part_of.type, place: authored_view?.place ?? view.place };
    authored.splice(authored_view ? at : authored.length, authored_view ? 1 : 0, instead);
  }
  return authored;
}

/** The states of a helper node that replace the waiting state of its node. */
const VISIBLE_STATES: readonly CoordinatedNode['state'][] = ['running', 'backoff', 'failed'];

function toNodeView(
  node: PlannedNode,
  row: StoredNode,
  stopped: boolean,
  earlier: readonly EarlierAttempt[],
): CoordinatedNode {
  const { id, type, shown_type = type, kept } = node;
  const { n, item, attempt, activity_id, timer_id, total, begun, ended, failed, outcome } = row;
  return {
    id,
    type: shown_type,
    attempt,
    activity_id,
    timer_id,
    earlier: earlier.map(({ attempt, activity_id }) => ({ attempt, activity_id })),
    item: item === NODE_ITEM ? null : item,
    place: item === NODE_ITEM ? n : item,
    state: row.state === 'waiting' && stopped ? 'cancelled' : row.state,
    items: total === null ? null : { total, begun, ended, failed },
    case: outcome,
    error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
    kept: kept !== undefined,
    started_at: row.started_at,
    finished_at: row.finished_at,
  };
}
