import { type Database, Errors, type Sealer } from '../../../kernel/contracts/index.ts';
import type { Coordination } from '../../runs/contract.ts';
import type { FlowNodeView, FlowPlan, Flows } from '../contract.ts';
import { type NodeRow, newRow, WHOLE } from '../domain/decide.ts';
import { type PlannedNode, planFaults } from '../domain/plan.ts';
import { flowInvalid } from '../errors.ts';
import { readFlow } from '../store/flow-row.ts';
import { PART, PLAN, readParts } from '../store/lists.ts';
import { readItems, readNodes } from '../store/node-rows.ts';
import type { FlowScope } from '../store/sealing.ts';
import { FLOWS } from './coordinator.ts';

const MAX_PAGE = 1000;

type On = Pick<Database, 'read'>;

export function createFlows(database: On, sealer: Sealer): Flows {
  return {
    check,
    coordination(plan): Coordination {
      check(plan);
      return { by: FLOWS, plan };
    },
    nodes: (scope, run_id, page) => nodes(database, sealer, { ...scope, run_id }, page),
    items: (scope, run_id, node, page) => items(database, sealer, { ...scope, run_id }, node, page),
  };
}

function check(plan: FlowPlan): void {
  const errors = planFaults(plan);
  if (errors.length === 0) return;
  const shown = errors.slice(0, 3).map(({ pointer, message }) => `${pointer} ${message}`);
  throw flowInvalid(shown.join('; ') + (errors.length > 3 ? `; and ${errors.length - 3} more` : ''), { errors });
}

interface Page {
  after: number;
  limit: number;
}

async function nodes(on: On, sealer: Sealer, scope: FlowScope, { after, limit }: Page): Promise<FlowNodeView[]> {
  await sealer.prepare(scope.org_id);
  const flow = await readFlow(on, sealer, scope);
  if (!flow) return [];
  const first = after + 1;
  const last = Math.min(first + Math.min(limit, MAX_PAGE), flow.nodes);
  const plan = await readPlan(on, sealer, scope, first, last);
  const keys = plan.map(({ n }) => ({ n, item: WHOLE }));
  const rows = new Map((await readNodes(on, scope.run_id, keys)).map((row) => [row.n, row]));
  return plan.map((node) => viewOf(node, rows.get(node.n) ?? newRow(node.n, WHOLE, node.needs), flow.stopped === 1));
}

async function readPlan(on: On, sealer: Sealer, scope: FlowScope, first: number, last: number): Promise<PlannedNode[]> {
  const parts = [];
  for (let part = Math.floor(first / PART); part * PART < last; part++) parts.push(part);
  const read = await readParts<PlannedNode>(on, sealer, scope, PLAN, parts);
  return parts.flatMap((part) => read.get(part) ?? []).filter(({ n }) => n >= first && n < last);
}

async function items(on: On, sealer: Sealer, scope: FlowScope, id: string, { after, limit }: Page) {
  await sealer.prepare(scope.org_id);
  const flow = await readFlow(on, sealer, scope);
  const plan = flow ? await readPlan(on, sealer, scope, 0, flow.nodes) : [];
  const node = plan.find((one) => one.id === id);
  if (!flow || !node) throw Errors.notFound(`there is no node ${id}`);
  const rows = await readItems(on, scope.run_id, node.n, Math.max(after, WHOLE), Math.min(limit, MAX_PAGE));
  return rows.map((row) => viewOf(node, row, flow.stopped === 1));
}

function viewOf({ id, type }: PlannedNode, row: NodeRow, stopped: boolean): FlowNodeView {
  const { item, attempt, activity_id, total, begun, ended, failed, outcome, started_at, finished_at } = row;
  return {
    ...{ id, type, attempt, activity_id, started_at, finished_at },
    item: item === WHOLE ? null : item,
    state: row.state === 'waiting' && stopped ? 'cancelled' : row.state,
    items: total === null ? null : { total, begun, ended, failed },
    case: outcome,
    error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
  };
}
