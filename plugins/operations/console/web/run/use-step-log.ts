import { useMemo } from 'react';
import type { StepRecord } from '../../../../../cli/generated/api.ts';
import { readStepTimes } from '../../../run-views/explain/step-times.ts';
import type { FollowedLog } from './follow-log.ts';
import type { LogLine } from './log-lines.ts';

/** A line is written a moment before or after what it is of is recorded. */
const NEAR_MS = 20;

/** The lines of the step's activity between its beginning and its end, and the number of the first one. */
export function useStepLog(step: StepRecord, { log, version }: FollowedLog): { lines: LogLine[]; first: number } {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the lines are changed in place, `version` tells so
  return useMemo(() => {
    const { from, to } = readStepTimes(step);
    const [begin, end] = [
      Date.parse(from) - NEAR_MS,
      to === undefined ? Number.POSITIVE_INFINITY : Date.parse(to) + NEAR_MS,
    ];
    const start = firstAt(log.lines, begin);
    const lines: LogLine[] = [];
    for (let at = start; at < log.lines.length; at++) {
      const line = log.lines[at]!;
      if (Date.parse(line.at) > end) break;
      if (line.activity_id === step.activity_id || step.child?.activity_id === line.activity_id) lines.push(line);
    }
    return { lines, first: start + 1 + log.dropped };
  }, [step, log, version]);
}

/** The first line that is not older, by halves: a log may have a million. */
function firstAt(lines: readonly LogLine[], at: number): number {
  let [low, high] = [0, lines.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (Date.parse(lines[middle]!.at) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
