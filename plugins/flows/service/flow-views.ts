import { type Database, Errors, type Sealer } from '../../../kernel/contracts/index.ts';
import type { Activities, CoordinatedNode, Coordination, NodeList, NodePage, NodeWork } from '../../runs/contract.ts';
import type { FlowPlan, Flows } from '../contract.ts';
import { newRow, WHOLE } from '../domain/decide.ts';
import { labelOf } from '../domain/labels.ts';
import { type PlannedNode, planFaults } from '../domain/plan.ts';
import { flowInvalid } from '../errors.ts';
import { type EarlierAttempt, readEarlier } from '../store/activity-rows.ts';
import { type FlowRow, readFlow } from '../store/flow-row.ts';
import { PART, PLAN, readParts } from '../store/lists.ts';
import { readOutputs } from '../store/outputs.ts';
import {
  type ListedNode,
  listItems,
  listNodes,
  listOpen,
  listOpenItems,
  readNodes,
  type StoredNode,
} from '../store/node-rows.ts';
import type { FlowScope } from '../store/sealing.ts';

/** The name of the coordinator. */
export const FLOWS = 'flows';

/** The name of the activity of an item. */
const ITEM = /^(.*)\[(\d+)\]$/;

const MAX_PAGE = 1000;
/** Nodes that an error names. */
const SHOWN = 50;
/** Bytes of outputs on one page. A page becomes shorter rather than larger. */
const PAGE_BYTES = 1024 * 1024;

export interface FlowViewsParts {
  database: Pick<Database, 'read'>;
  sealer: Sealer;
  activities: () => Pick<Activities, 'ends' | 'outputBytes'>;
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
    const more = nodes.length < views.length || views.length === limit;
    return { nodes: withoutParts(rows, nodes), more, last: nodes.at(-1)?.place };
  }

  /** True when more than one node or item may write to the log. */
  async several(scope: FlowScope): Promise<boolean> {
    const flow = await this.#flow(scope);
    if (!flow || flow.nodes > 1) return flow !== undefined;
    const [only] = await this.plan(scope, 0, 1);
    return only?.fan_out !== undefined;
  }

  /** Says how people know what an activity is called after; undefined for one that they know by that name. */
  async labels(scope: FlowScope): Promise<(name: string) => string | undefined> {
    const flow = await this.#flow(scope);
    const plan = flow ? await this.plan(scope, 0, flow.nodes) : [];
    const named = new Map(plan.flatMap((node) => (node.fan_out?.named ? [[node.id, node] as const] : [])));
    return (name) => {
      const [, id = '', item] = ITEM.exec(name) ?? [];
      const node = named.get(id);
      return node && labelOf(node, Number(item));
    };
  }

  /** A node or an item by its id, or by what people call it; undefined when there is none. */
  async work(scope: FlowScope, name: string): Promise<NodeWork | undefined> {
    const flow = await this.#flow(scope);
    const plan = flow ? await this.plan(scope, 0, flow.nodes) : [];
    const place = placeNamed(plan, name);
    if (!place) return undefined;
    const { node, item } = place;
    const [row] = await readNodes(this.#parts.database, scope.run_id, [{ n: node.n, item }]);
    const several = node.fan_out !== undefined && item === WHOLE;
    const activity_id = several ? null : (row?.activity_id ?? null);
    const kept_from = node.kept === undefined ? undefined : flow?.header.kept;
    return { node: node.id, item: item === WHOLE ? null : item, several, activity_id, ...(kept_from && { kept_from }) };
  }

  /** The planned nodes from `first` up to `last`, exclusive. The org's keys are ready. */
  async plan(scope: FlowScope, first: number, last: number): Promise<PlannedNode[]> {
    const parts = [];
    for (let part = Math.floor(first / PART); part * PART < last; part++) parts.push(part);
    const read = await readParts<PlannedNode>(this.#parts.database, this.#parts.sealer, scope, PLAN, parts);
    return parts.flatMap((part) => read.get(part) ?? []).filter(({ n }) => n >= first && n < last);
  }

  /** Attempts that are over although their node or item is not, or was not. */
  async #earlier(scope: FlowScope, rows: readonly (readonly [PlannedNode, ListedNode])[]) {
    // While it pauses, its newest attempt is over as well.
    const ended = ({ state, attempt }: StoredNode) => (state === 'backoff' ? attempt : attempt - 1);
    const repeated = rows.flatMap(([, row]) =>
      ended(row) > 0 ? [{ n: row.n, item: row.item, before: ended(row) + 1 }] : [],
    );
    const attempts = await readEarlier(this.#parts.database, scope.run_id, repeated);
    const byPlace = Map.groupBy(attempts, placeOf);
    return (row: StoredNode) => byPlace.get(placeOf(row)) ?? [];
  }

  async #flow(scope: FlowScope): Promise<FlowRow | undefined> {
    await this.#parts.sealer.prepare(scope.org_id);
    return readFlow(this.#parts.database, this.#parts.sealer, scope);
  }

  async #nodes(scope: FlowScope, flow: FlowRow, { after, open }: NodePage, limit: number) {
    const { database, sealer } = this.#parts;
    if (open) {
      const rows = await listOpen(database, scope.run_id, after, limit);
      const parts = [...new Set(rows.map(({ n }) => Math.floor(n / PART)))];
      const plan = await readParts<PlannedNode>(database, sealer, scope, PLAN, parts);
      return rows.map((row) => [plan.get(Math.floor(row.n / PART))![row.n % PART]!, row] as const);
    }
    const plan = await this.plan(scope, after + 1, Math.min(after + 1 + limit, flow.nodes));
    const keys = plan.map(({ n }) => ({ n, item: WHOLE }));
    const rows = new Map((await listNodes(database, scope.run_id, keys)).map((row) => [row.n, row]));
    return plan.map((node) => [node, rows.get(node.n) ?? untouched(node)] as const);
  }

  async #items(scope: FlowScope, flow: FlowRow, { after, open }: NodePage, of: string, limit: number) {
    const plan = await this.plan(scope, 0, flow.nodes);
    const node = plan.find(({ id }) => id === of);
    if (!node) throw noNode(of, plan);
    const { database } = this.#parts;
    const from = Math.max(after, WHOLE);
    const rows = open
      ? (await listOpenItems(database, scope.run_id, node.n)).filter(({ item }) => item > from).slice(0, limit)
      : await listItems(database, scope.run_id, node.n, from, limit);
    return rows.map((row) => [node, row] as const);
  }

  /** As many as fit on a page, at least one. No output is read that does not fit. */
  async #withOutputs(
    scope: FlowScope,
    rows: readonly (readonly [PlannedNode, ListedNode])[],
    views: readonly CoordinatedNode[],
  ): Promise<CoordinatedNode[]> {
    const { database, sealer, activities } = this.#parts;
    const fitting = await this.#fitting(
      scope,
      rows.map(([, row]) => row),
    );
    const own = fitting.filter(({ output_bytes }) => output_bytes !== null);
    const whole = new Map((await readNodes(database, scope.run_id, own)).map((row) => [placeOf(row), row.output]));
    const filled = fitting.map((row): StoredNode => ({ ...row, output: whole.get(placeOf(row)) ?? null }));
    const outputs = await readOutputs(database, { sealer, activities: activities() }, scope, filled);
    return outputs.map((output, i) => ({ ...views[i]!, ...(output === undefined ? {} : { output }) }));
  }

  async #fitting(scope: FlowScope, rows: readonly ListedNode[]): Promise<readonly ListedNode[]> {
    const theirs = rows.flatMap(({ state, output_bytes, activity_id }) =>
      state === 'succeeded' && output_bytes === null && activity_id !== null ? [activity_id] : [],
    );
    const sizes = await this.#parts.activities().outputBytes(this.#parts.database, scope, theirs);
    let bytes = 0;
    const end = rows.findIndex(({ output_bytes, activity_id }, n) => {
      bytes += output_bytes ?? sizes.get(activity_id ?? '') ?? 0;
      return bytes > PAGE_BYTES && n > 0;
    });
    return end < 0 ? rows : rows.slice(0, end);
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

const untouched = (node: PlannedNode): ListedNode => ({
  ...newRow(node.n, WHOLE, node.needs),
  output: null,
  output_bytes: null,
});

const placeOf = ({ n, item }: { n: number; item: number }): string => `${n}/${item}`;

/** `build`, `build[2]`, `build (node=20)`. */
function placeNamed(plan: readonly PlannedNode[], name: string): { node: PlannedNode; item: number } | undefined {
  const [, of, number] = ITEM.exec(name) ?? [];
  const node = plan.find(({ id }) => id === (of ?? name));
  if (node) return { node, item: of === undefined ? WHOLE : Number(number) };
  for (const known of plan) {
    const items = known.fan_out?.named && name.startsWith(`${known.id} (`) ? known.fan_out.items : [];
    const item = Array.from(items).findIndex((_, i) => labelOf(known, i) === name);
    if (item >= 0) return { node: known, item };
  }
  return undefined;
}

const noNode = (id: string, plan: readonly PlannedNode[]) => Errors.notFound(unknownNode(id, plan));

/** Says which nodes there are. */
export function unknownNode(id: string, plan: readonly Pick<PlannedNode, 'id' | 'part_of'>[]): string {
  const written = plan.filter(({ part_of }) => part_of === undefined).map((node) => node.id);
  const more = written.length > SHOWN ? `, and ${written.length - SHOWN} more` : '';
  const shown = written.slice(0, SHOWN).join(', ') + more;
  return `there is no node ${JSON.stringify(id.slice(0, 128))} in this run; its nodes are ${shown}`;
}

/** Nodes that their author wrote. One that waits for a part of its work is shown as that part is: waiting for a lease, say. */
function withoutParts(
  rows: readonly (readonly [PlannedNode, StoredNode])[],
  views: readonly CoordinatedNode[],
): CoordinatedNode[] {
  const shown = views.filter((_, i) => rows[i]![0].part_of === undefined);
  for (const [i, view] of views.entries()) {
    const { part_of } = rows[i]![0];
    if (part_of === undefined || part_of === 'run' || !STANDS_FOR.includes(view.state)) continue;
    const at = shown.findIndex(({ id }) => id === part_of.node);
    const whole = shown[at];
    if (whole && whole.state !== 'waiting' && whole.state !== 'skipped') continue;
    if (!whole && view.state === 'failed') continue;
    const instead = { ...view, id: part_of.node, type: part_of.type, place: whole?.place ?? view.place };
    shown.splice(whole ? at : shown.length, whole ? 1 : 0, instead);
  }
  return shown;
}

/** States of a part that say more than that its node waits. */
const STANDS_FOR: readonly CoordinatedNode['state'][] = ['running', 'backoff', 'failed'];

function viewOf(
  node: PlannedNode,
  row: StoredNode,
  stopped: boolean,
  earlier: readonly EarlierAttempt[],
): CoordinatedNode {
  const { id, type, shown_type = type, kept } = node;
  const { n, item, attempt, activity_id, timer_id, total, begun, ended, failed, outcome } = row;
  return {
    ...{ id, type: shown_type, label: labelOf(node, item), attempt, activity_id, timer_id },
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
