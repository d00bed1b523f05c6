import type { NodeRecord, StepRecord } from '../../../../../cli/generated/api.ts';

export const isNode = (step: StepRecord | NodeRecord): step is NodeRecord => 'node' in step;

/** What a step is called in an address and in a list: no two of a run are the same. */
export function keyOf(step: StepRecord | NodeRecord): string {
  if (!isNode(step)) return `${step.activity_id} ${step.position}`;
  return step.item === undefined ? step.node : `${step.node}[${step.item}]`;
}
