import type { FlowNode } from '../contract.ts';
import { isTerminal, type NodeRow } from './decide.ts';
import type { PlannedNode } from './plan.ts';

/** A node of the run that is rerun: its number, its type, and what it came to. */
export interface EarlierNode {
  n: number;
  type: string;
  row: Pick<NodeRow, 'state'> | undefined;
}

/**
 * Returns the nodes whose results a rerun reuses, with their numbers in the earlier plan. It reuses every decided node
 * except failed ones, the node from which the run is rerun, and all that follow these.
 */
export function findReusableNodes(
  nodes: readonly PlannedNode[],
  earlier: ReadonlyMap<string, EarlierNode>,
  from: PlannedNode | undefined,
): [n: number, old: number][] {
  const rerun = new Set<number>();
  const pending = nodes.filter((node) => node === from || !isReusable(node, earlier.get(node.id))).map(({ n }) => n);
  for (let n = pending.pop(); n !== undefined; n = pending.pop()) {
    if (rerun.has(n)) continue;
    rerun.add(n);
    for (const next of nodes[n]!.next) pending.push(next.n);
  }
  return nodes.filter(({ n }) => !rerun.has(n)).map(({ n, id }) => [n, earlier.get(id)!.n]);
}

/** A failure counts as a result only where the plan continues on error. */
function isReusable(node: PlannedNode, earlier: EarlierNode | undefined): boolean {
  if (earlier?.row === undefined || earlier.type !== node.type || !isTerminal(earlier.row)) return false;
  const { state } = earlier.row;
  return state === 'succeeded' || state === 'skipped' || (state === 'failed' && node.continue_on_error === true);
}

type ReusedNodes = [n: number, old: number][];

/**
 * Runs guards again before the nodes that they guard, because their effect ended with the earlier run. Reused nodes no
 * longer need them; nodes that run again need those that guard everything.
 */
export function rerunGuards(
  plan: readonly FlowNode[],
  run_id: string,
  reused: ReusedNodes,
): { nodes: FlowNode[]; kept: { run_id: string; nodes: ReusedNodes } } {
  const reused_ids = new Set(reused.map(([n]) => plan[n]!.id));
  const needs = plan.map((node) => (node.needs ?? []).map((need) => (typeof need === 'string' ? need : need.node)));
  const rerun = (guard: FlowNode) =>
    plan.filter(({ id }, n) => !reused_ids.has(id) && (guard.guards === 'all' || needs[n]!.includes(guard.id)));
  const guards = plan.filter((node) => node.guards !== undefined && reused_ids.has(node.id) && rerun(node).length > 0);
  for (const { id } of guards) reused_ids.delete(id);
  const rerun_ids = new Set(guards.map(({ id }) => id));
  const guards_of_all = guards.filter((node) => node.guards === 'all').map(({ id }) => id);
  const nodes = plan.map((node, n) => {
    if (reused_ids.has(node.id))
      return { ...node, needs: node.needs?.filter((_, i) => !rerun_ids.has(needs[n]![i]!)) ?? [] };
    const first = needs[n]!.every((id) => reused_ids.has(id)) ? guards_of_all : [];
    return { ...node, needs: [...(node.needs ?? []), ...first.filter((id) => id !== node.id)] };
  });
  return { nodes, kept: { run_id, nodes: reused.filter(([n]) => reused_ids.has(plan[n]!.id)) } };
}
