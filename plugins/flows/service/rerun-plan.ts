import { type Database, Errors, type Sealer } from '../../../kernel/contracts/index.ts';
import type { NodeAgain } from '../../runs/contract.ts';
import type { FlowPlan } from '../contract.ts';
import { WHOLE } from '../domain/decide.ts';
import { guardedAgain, keptNodes } from '../domain/kept.ts';
import { type PlannedNode, planned } from '../domain/plan.ts';
import { readFlow, type ResumedNode } from '../store/flow-row.ts';
import { readNodes } from '../store/node-rows.ts';
import type { FlowScope } from '../store/sealing.ts';
import { type FlowViews, unknownNode } from './flow-views.ts';

/** The plan of a rerun. */
export interface RerunPlan extends FlowPlan {
  /** The nodes whose results are kept, and their numbers in the plan of that run. */
  kept?: { run_id: string; nodes: [n: number, old: number][] };
  /** The node, or the item of one, that goes on with a journal: its first attempt is this activity. */
  resumed?: ResumedNode;
}

export interface RerunParts {
  database: Pick<Database, 'read'>;
  sealer: Sealer;
  views: FlowViews;
}

/** The nodes of a plan; those that are kept say what they were. */
export function plannedAgain(plan: RerunPlan): PlannedNode[] {
  const nodes = planned(plan);
  for (const [n, old] of plan.kept?.nodes ?? []) nodes[n]!.kept = old;
  return nodes;
}

/**
 * A rerun of a run from one of its nodes, or of what did not succeed. Undefined when there is nothing to keep. Throws
 * `invalid_request`.
 */
export async function planRerun(
  { database, sealer, views }: RerunParts,
  scope: FlowScope,
  plan: FlowPlan,
  again: NodeAgain | undefined,
): Promise<RerunPlan | undefined> {
  const nodes = planned(plan);
  const from = again?.node;
  const first = nodes.find(({ id }) => id === from);
  if (!first && from !== undefined) throw refused(unknownNode(from, nodes));
  await sealer.prepare(scope.org_id);
  const flow = await readFlow(database, sealer, scope);
  if (!flow) {
    if (from === undefined) return undefined;
    throw refused('the plan of the run no longer exists; leave `from` out to run it anew');
  }
  const old = await views.plan(scope, 0, flow.nodes);
  const rows = await readNodes(
    database,
    scope.run_id,
    old.map(({ n }) => ({ n, item: WHOLE })),
  );
  const states = new Map(rows.map((row) => [row.n, row]));
  const earlier = new Map(old.map(({ id, n, type }) => [id, { n, type, row: states.get(n) }]));
  const kept = keptNodes(nodes, earlier, first);
  if (from === undefined && kept.length === 0) return undefined;
  const { item = null, activity_id } = again?.resumed ?? {};
  return {
    ...plan,
    ...guardedAgain(plan.nodes, scope.run_id, kept),
    ...(activity_id === undefined ? {} : { resumed: { n: first!.n, item: item ?? WHOLE, activity_id } }),
  };
}

const refused = (message: string) => Errors.invalidRequest(message, { errors: [{ pointer: '/from', message }] });
