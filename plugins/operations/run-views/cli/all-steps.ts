import { readAll, type Client } from '../../../../cli/contract.ts';
import type { NodeView, StepView } from '../explain/answers.ts';
import type { StepList, StepsQuery } from '../explain/read-input.ts';

/** Every durable call of a run by activity and position; or every node of one that has nodes, in order. */
export async function readAllSteps(api: Client, run_id: string, query: StepsQuery = {}): Promise<StepList> {
  const asked = Object.entries(query).flatMap(([name, value]) => (value ? [[name, String(value)] as const] : []));
  const path = `/runs/${encodeURIComponent(run_id)}/steps?${new URLSearchParams(asked.map(([...pair]) => pair))}`;
  const steps = await readAll<StepView | NodeView>(api, api.scoped(path), 'steps');
  const [first] = steps;
  return first !== undefined && 'node' in first ? { nodes: steps as NodeView[] } : { steps: steps as StepView[] };
}
