import type { NodeRecord, StepRecord } from '../../../../cli/generated/api.ts';
import { isNode, keyOf, type Row, rowOfStep } from './rows.ts';

interface Pass {
  first: StepRecord;
  number: number;
  from: number;
  to: number;
}

/**
 * Bars of the passes of programs that were started more than once: from the first to the last call that each recorded. A
 * pass that waits is over, unless it recorded something after its wait.
 */
export function passesOf(steps: readonly (StepRecord | NodeRecord)[]): Row[] {
  const activities = new Map<string, Map<number, Pass>>();
  for (const step of steps) {
    if (isNode(step) || step.pass === undefined) continue;
    const passes = activities.get(step.activity_id) ?? new Map<number, Pass>();
    activities.set(step.activity_id, passes);
    const { from, to } = placeOf(step);
    const known = passes.get(step.pass);
    if (known) Object.assign(known, { from: Math.min(known.from, from), to: Math.max(known.to, to) });
    else passes.set(step.pass, { first: step, number: passes.size + 1, from, to });
  }
  return [...activities.values()].flatMap((passes) =>
    passes.size > 1 ? [...passes.values()].map((pass) => rowOf(pass, pass.number < passes.size)) : [],
  );
}

const WAITS = /^(sleep|wait-|lock$|call$|child)/;

function placeOf(step: StepRecord): { from: number; to: number } {
  const { from, to, open } = rowOfStep(step, Date.parse(step.started_at));
  return { from, to: open || WAITS.test(step.kind) ? from : to };
}

function rowOf({ first, number, from, to }: Pass, earlier: boolean): Row {
  const of = keyOf(first);
  const label = first.activity === '' || first.activity === 'main' ? `${number}` : `${number} of ${first.activity}`;
  return { key: `${of} pass`, of, label, kind: 'pass', from, to, open: false, state: 'busy', depth: 0, earlier };
}
