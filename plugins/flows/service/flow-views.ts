import { type Database, Errors, type Sealer } from '../../../kernel/contracts/index.ts';
import type { Activities, CoordinatedNode, Coordination, NodeList, NodePage } from '../../runs/contract.ts';
import type { FlowPlan, Flows } from '../contract.ts';
import { newRow, WHOLE } from '../domain/decide.ts';
import { type PlannedNode, planFaults } from '../domain/plan.ts';
import { flowInvalid } from '../errors.ts';
import { type EarlierAttempt, readEarlier } from '../store/activity-rows.ts';
import { type FlowRow, readFlow } from '../store/flow-row.ts';
import { PART, PLAN, readParts } from '../store/lists.ts';
import { readOutputs } from '../store/outputs.ts';
import { readItems, readNodes, readOpen, readOpenItems, type StoredNode } from '../store/node-rows.ts';
import type { FlowScope } from '../store/sealing.ts';

/** The name of the coordinator. */
export const FLOWS = 'flows';

const MAX_PAGE = 1000;
/** Nodes that an error names. */
const SHOWN = 50;
/** Bytes of outputs on one page. A page becomes shorter rather than larger. */
const PAGE_BYTES = 8 * 1024 * 1024;
const OUTPUTS_AT_ONCE = 8;

export interface FlowViewsParts {
  database: Pick<Database, 'read'>;
  sealer: Sealer;
  activities: () => Pick<Activities, 'ends'>;
}

/** What lists show of flows. */
export class FlowViews {
  readonly #parts: FlowViewsParts;

  constructor(parts: FlowViewsParts) {
    this.#parts = parts;
  }

  /** Nodes in plan order, or items of one. Empty when the run is not a flow. Throws `not_found`. */
  async list(scope: FlowScope, page: NodePage): Promise<NodeList> {
    const limit = Math.min(page.limit, MAX_PAGE);
    const flow = await this.#flow(scope);
    if (!flow) return { nodes: [], more: false };
    const rows = await (page.of === undefined
      ? this.#nodes(scope, flow, page, limit)
      : this.#items(scope, flow, page, page.of, limit));
    const earlier = await this.#earlier(scope, rows);
    const views = rows.map(([node, row]) => viewOf(node, row, flow.stopped === 1, earlier(row)));
    const nodes = page.outputs ? await this.#withOutputs(scope, rows, views) : views;
    return { nodes, more: nodes.length < views.length || views.length === limit };
  }

  /** True when more than one node or item may write to the log. */
  async several(scope: FlowScope): Promise<boolean> {
    const flow = await this.#flow(scope);
    if (!flow || flow.nodes > 1) return flow !== undefined;
    const [only] = await this.plan(scope, 0, 1);
    return only?.fan_out !== undefined;
  }

  /** The planned nodes from `first` up to `last`, exclusive. The org's keys are ready. */
  async plan(scope: FlowScope, first: number, last: number): Promise<PlannedNode[]> {
    const parts = [];
    for (let part = Math.floor(first / PART); part * PART < last; part++) parts.push(part);
    const read = await readParts<PlannedNode>(this.#parts.database, this.#parts.sealer, scope, PLAN, parts);
    return parts.flatMap((part) => read.get(part) ?? []).filter(({ n }) => n >= first && n < last);
  }

  /** Attempts that are over although their node or item is not, or was not. */
  async #earlier(scope: FlowScope, rows: readonly (readonly [PlannedNode, StoredNode])[]) {
    // While it pauses, its newest attempt is over as well.
    const ended = ({ state, attempt }: StoredNode) => (state === 'backoff' ? attempt : attempt - 1);
    const repeated = rows.flatMap(([, row]) =>
      ended(row) > 0 ? [{ n: row.n, item: row.item, before: ended(row) + 1 }] : [],
    );
    const attempts = await readEarlier(this.#parts.database, scope.run_id, repeated);
    const byPlace = Map.groupBy(attempts, ({ n, item }) => `${n}/${item}`);
    return ({ n, item }: StoredNode) => byPlace.get(`${n}/${item}`) ?? [];
  }

  async #flow(scope: FlowScope): Promise<FlowRow | undefined> {
    await this.#parts.sealer.prepare(scope.org_id);
    return readFlow(this.#parts.database, this.#parts.sealer, scope);
  }

  async #nodes(scope: FlowScope, flow: FlowRow, { after, open }: NodePage, limit: number) {
    const { database, sealer } = this.#parts;
    if (open) {
      const rows = await readOpen(database, scope.run_id, after, limit);
      const parts = [...new Set(rows.map(({ n }) => Math.floor(n / PART)))];
      const plan = await readParts<PlannedNode>(database, sealer, scope, PLAN, parts);
      return rows.map((row) => [plan.get(Math.floor(row.n / PART))![row.n % PART]!, row] as const);
    }
    const plan = await this.plan(scope, after + 1, Math.min(after + 1 + limit, flow.nodes));
    const keys = plan.map(({ n }) => ({ n, item: WHOLE }));
    const rows = new Map((await readNodes(database, scope.run_id, keys)).map((row) => [row.n, row]));
    return plan.map((node) => [node, rows.get(node.n) ?? untouched(node)] as const);
  }

  async #items(scope: FlowScope, flow: FlowRow, { after, open }: NodePage, of: string, limit: number) {
    const plan = await this.plan(scope, 0, flow.nodes);
    const node = plan.find(({ id }) => id === of);
    if (!node) throw noNode(of, plan);
    const { database } = this.#parts;
    const from = Math.max(after, WHOLE);
    const rows = open
      ? (await readOpenItems(database, scope.run_id, node.n)).filter(({ item }) => item > from).slice(0, limit)
      : await readItems(database, scope.run_id, node.n, from, limit);
    return rows.map((row) => [node, row] as const);
  }

  /** As many as fit on a page, at least one. */
  async #withOutputs(
    scope: FlowScope,
    rows: readonly (readonly [PlannedNode, StoredNode])[],
    views: readonly CoordinatedNode[],
  ): Promise<CoordinatedNode[]> {
    const { database, sealer, activities } = this.#parts;
    const shown: CoordinatedNode[] = [];
    let bytes = 0;
    for (let from = 0; from < rows.length; from += OUTPUTS_AT_ONCE) {
      const some = rows.slice(from, from + OUTPUTS_AT_ONCE).map(([, row]) => row);
      const outputs = await readOutputs(database, { sealer, activities: activities() }, scope, some);
      for (const [i, output] of outputs.entries()) {
        bytes += output === undefined ? 0 : Buffer.byteLength(JSON.stringify(output));
        if (bytes > PAGE_BYTES && shown.length > 0) return shown;
        shown.push({ ...views[from + i]!, ...(output === undefined ? {} : { output }) });
      }
    }
    return shown;
  }
}

/** For other plugins. */
export function createFlows(views: FlowViews): Flows {
  return {
    check,
    coordination(plan): Coordination {
      check(plan);
      return { by: FLOWS, plan };
    },
    nodes: async (scope, run_id, page) => (await views.list({ ...scope, run_id }, page)).nodes,
    items: async (scope, run_id, node, page) => (await views.list({ ...scope, run_id }, { ...page, of: node })).nodes,
  };
}

function check(plan: FlowPlan): void {
  const errors = planFaults(plan);
  if (errors.length === 0) return;
  const shown = errors.slice(0, 3).map(({ pointer, message }) => `${pointer} ${message}`);
  throw flowInvalid(shown.join('; ') + (errors.length > 3 ? `; and ${errors.length - 3} more` : ''), { errors });
}

const untouched = (node: PlannedNode): StoredNode => ({ ...newRow(node.n, WHOLE, node.needs), output: null });

const noNode = (id: string, plan: readonly PlannedNode[]) => Errors.notFound(unknownNode(id, plan));

/** Says which nodes there are. */
export function unknownNode(id: string, plan: readonly Pick<PlannedNode, 'id'>[]): string {
  const ids = plan.slice(0, SHOWN).map((node) => node.id);
  const shown = ids.join(', ') + (plan.length > SHOWN ? `, and ${plan.length - SHOWN} more` : '');
  return `there is no node ${JSON.stringify(id.slice(0, 128))} in this run; its nodes are ${shown}`;
}

function viewOf(
  { id, type, shown_type = type, kept }: PlannedNode,
  row: StoredNode,
  stopped: boolean,
  earlier: readonly EarlierAttempt[],
): CoordinatedNode {
  const { n, item, attempt, activity_id, timer_id, total, begun, ended, failed, outcome } = row;
  return {
    ...{ id, type: shown_type, attempt, activity_id, timer_id },
    earlier: earlier.map(({ attempt, activity_id }) => ({ attempt, activity_id })),
    item: item === WHOLE ? null : item,
    place: item === WHOLE ? n : item,
    state: row.state === 'waiting' && stopped ? 'cancelled' : row.state,
    items: total === null ? null : { total, begun, ended, failed },
    case: outcome,
    error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
    kept: kept !== undefined,
    started_at: row.started_at,
    finished_at: row.finished_at,
  };
}
