import type { FlowNode } from '../contract.ts';
import { isOver, type NodeRow } from './decide.ts';
import type { PlannedNode } from './plan.ts';

/** A node of the run that is rerun: its number, its type, and what it came to. */
export interface EarlierNode {
  n: number;
  type: string;
  row: Pick<NodeRow, 'state'> | undefined;
}

/**
 * The nodes whose results a rerun keeps, with their numbers in the earlier plan: all that were decided, but for those that
 * failed or have not come to an end, for the node from which it is rerun, and for whatever comes after any of these.
 */
export function keptNodes(
  nodes: readonly PlannedNode[],
  earlier: ReadonlyMap<string, EarlierNode>,
  from: PlannedNode | undefined,
): [n: number, old: number][] {
  const again = new Set<number>();
  const ahead = nodes.filter((node) => node === from || !isKept(node, earlier.get(node.id))).map(({ n }) => n);
  for (let n = ahead.pop(); n !== undefined; n = ahead.pop()) {
    if (again.has(n)) continue;
    again.add(n);
    for (const next of nodes[n]!.next) ahead.push(next.n);
  }
  return nodes.filter(({ n }) => !again.has(n)).map(({ n, id }) => [n, earlier.get(id)!.n]);
}

/** A failure is a result only where the plan takes it for one. */
function isKept(node: PlannedNode, earlier: EarlierNode | undefined): boolean {
  if (earlier?.row === undefined || earlier.type !== node.type || !isOver(earlier.row)) return false;
  const { state } = earlier.row;
  return state === 'succeeded' || state === 'skipped' || (state === 'failed' && node.continue_on_error === true);
}

type Kept = [n: number, old: number][];

/**
 * Nodes whose work ended with the earlier run are done again before what they guard. What is kept does not wait for
 * them: it needs them no more. What runs again needs those that guard everything too.
 */
export function guardedAgain(
  plan: readonly FlowNode[],
  run_id: string,
  kept: Kept,
): { nodes: FlowNode[]; kept: { run_id: string; nodes: Kept } } {
  const stays = new Set(kept.map(([n]) => plan[n]!.id));
  const needs = plan.map((node) => (node.needs ?? []).map((need) => (typeof need === 'string' ? need : need.node)));
  const again = (guard: FlowNode) =>
    plan.filter(({ id }, n) => !stays.has(id) && (guard.guards === 'all' || needs[n]!.includes(guard.id)));
  const guards = plan.filter((node) => node.guards !== undefined && stays.has(node.id) && again(node).length > 0);
  for (const { id } of guards) stays.delete(id);
  const done = new Set(guards.map(({ id }) => id));
  const everywhere = guards.filter((node) => node.guards === 'all').map(({ id }) => id);
  const nodes = plan.map((node, n) => {
    if (stays.has(node.id)) return { ...node, needs: node.needs?.filter((_, i) => !done.has(needs[n]![i]!)) ?? [] };
    const first = needs[n]!.every((id) => stays.has(id)) ? everywhere : [];
    return { ...node, needs: [...(node.needs ?? []), ...first.filter((id) => id !== node.id)] };
  });
  return { nodes, kept: { run_id, nodes: kept.filter(([n]) => stays.has(plan[n]!.id)) } };
}
