import { type Database, Errors, type Sealer } from '../../../../kernel/contracts/index.ts';
import type { Activities, NodeAgain } from '../../runs/contract.ts';
import type { FlowPlan } from '../contract.ts';
import { NODE_ITEM } from '../domain/decide.ts';
import { rerunGuards, findReusableNodes } from '../domain/reusable-nodes.ts';
import { type PlannedNode, toPlannedNodes } from '../domain/plan.ts';
import { readAnyFlow } from '../store/any-flow.ts';
import type { ResumedNode } from '../store/flow-row.ts';
import type { FlowScope } from '../store/sealing.ts';
import { describeUnknownNode, readPlan } from './flow-views.ts';

/** The plan of a rerun. */
export interface RerunPlan extends FlowPlan {
  /** The nodes whose results are reused, with their numbers in the plan of the earlier run. */
  kept?: { run_id: string; nodes: [n: number, old: number][] };
  /** The node or item that continues with a journal: its first attempt is this activity. */
  resumed?: ResumedNode;
}

export interface RerunDeps {
  database: Pick<Database, 'read'>;
  sealer: Sealer;
  activities: () => Pick<Activities, 'record'>;
}

/** Returns the nodes of a plan. Reused nodes carry their number in the earlier plan. */
export function toRerunNodes(plan: RerunPlan): PlannedNode[] {
  const nodes = toPlannedNodes(plan);
  for (const [n, old] of plan.kept?.nodes ?? []) nodes[n]!.kept = old;
  return nodes;
}

/**
 * Plans a rerun from a node, or of everything that did not succeed. Returns undefined when nothing can be reused.
 * Throws `invalid_request`.
 */
export async function planRerun(
  { database, sealer, activities }: RerunDeps,
  scope: FlowScope,
  plan: FlowPlan,
  request: NodeAgain | undefined,
): Promise<RerunPlan | undefined> {
  const nodes = toPlannedNodes(plan);
  const from = request?.node;
  const first = nodes.find(({ id }) => id === from);
  if (!first && from !== undefined) throw invalidFrom(describeUnknownNode(from, nodes));
  await sealer.prepare(scope.org_id);
  const found = await readAnyFlow(database, { sealer, activities: activities() }, scope);
  if (!found) {
    if (from === undefined) return undefined;
    throw invalidFrom('the plan of the run no longer exists; leave `from` out to run everything again');
  }
  const earlier_nodes = await readPlan(found.reader, 0, found.flow.nodes);
  const rows = await found.reader.nodes(earlier_nodes.map(({ n }) => ({ n, item: NODE_ITEM })));
  const states = new Map(rows.map((row) => [row.n, row]));
  const earlier = new Map(earlier_nodes.map(({ id, n, type }) => [id, { n, type, row: states.get(n) }]));
  const reused = findReusableNodes(nodes, earlier, first);
  if (from === undefined && reused.length === 0) return undefined;
  const { item = null, activity_id } = request?.resumed ?? {};
  return {
    ...plan,
    ...rerunGuards(plan.nodes, scope.run_id, reused),
    resumed: activity_id === undefined ? undefined : { n: first!.n, item: item ?? NODE_ITEM, activity_id },
  };
}

const invalidFrom = (message: string) => Errors.invalidRequest(message, { errors: [{ pointer: '/from', message }] });
