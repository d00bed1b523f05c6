import { isServiceError } from '../../../kernel/contracts/index.ts';
import type { Activities, Json } from '../../runs/contract.ts';
import { edgeMet, needDecided, WHOLE } from '../domain/decide.ts';
import type { PlannedNode } from '../domain/plan.ts';
import { keptResultGone } from '../errors.ts';
import type { Step } from '../store/flow-row.ts';
import type { StoredNode } from '../store/node-rows.ts';
import type { OutputParts } from '../store/outputs.ts';
import { EarlierResults, ITEMS_AT_ONCE } from './earlier-results.ts';
import type { FlowMemory } from './flow-memory.ts';

type KeepStep = Extract<Step, { do: 'keep' }>;

/** Edges whose rows are read ahead together. */
const AHEAD = 64;

export interface KeepParts extends Pick<OutputParts, 'sealer'> {
  activities: () => Pick<Activities, 'ends'>;
}

/** What the caller's transaction does with the results. */
export interface Keeping {
  /** Seals an output for its place in the new run. */
  seal(row: StoredNode, output: Json): Buffer;
  skip(row: StoredNode): void;
  spend(steps: number): void;
}

/**
 * Copies a kept result, and counts it for those nodes that run again. All kept results are there before a node begins:
 * this step stays on top of the list until then.
 */
export async function keepStep(step: KeepStep, parts: KeepParts, memory: FlowMemory, work: Keeping): Promise<void> {
  const { flow } = memory;
  const { n, edge = 0 } = step;
  if (n >= flow.nodes) return;
  const node = memory.node(n);
  if (node.kept === undefined) {
    flow.todo.push({ do: 'keep', n: n + 1 });
    return;
  }
  work.spend(1);
  if (edge === 0) {
    const last = await copied(node, step, parts, memory, work);
    if (last === 'gone') return;
    if (last !== undefined) {
      flow.todo.push({ do: 'keep', n, item: last });
      return;
    }
    flow.ended += 1;
  }
  await countNeeds(node, edge, memory, work);
  const rest = edge + AHEAD;
  flow.todo.push(rest < node.next.length ? { do: 'keep', n, edge: rest } : { do: 'keep', n: n + 1 });
}

/** Answers the last copied item of a fan-out that may have more. */
async function copied(
  node: PlannedNode,
  { item = WHOLE }: KeepStep,
  { sealer, activities }: KeepParts,
  memory: FlowMemory,
  { seal, spend }: Keeping,
): Promise<number | undefined | 'gone'> {
  try {
    const earlier = new EarlierResults({ sealer, activities: activities() }, memory);
    const last = await earlier.copy(node, item, seal);
    if (last !== undefined) spend(ITEMS_AT_ONCE);
    return last;
  } catch (error) {
    if (!isServiceError(error, keptResultGone.code)) throw error;
    // Without what it keeps the run has no meaning; running the node again is what nobody asked for.
    Object.assign(memory.flow, { failed: 1, stopped: 1, error_code: error.code, error_message: error.message });
    await memory.cancel(error.message);
    return 'gone';
  }
}

async function countNeeds(node: PlannedNode, from: number, memory: FlowMemory, work: Keeping): Promise<void> {
  const edges = node.next.slice(from, from + AHEAD);
  await memory.load(edges.map(({ n }) => n));
  for (const edge of edges) {
    const next = memory.node(edge.n);
    if (next.kept !== undefined) continue;
    work.spend(1);
    const row = memory.change(memory.row(edge.n));
    const verdict = needDecided(next, row, edgeMet(node, memory.row(node.n), edge));
    if (verdict === 'begin') memory.flow.todo.push({ do: 'begin', n: edge.n });
    else if (verdict === 'skip') work.skip(row);
  }
}
