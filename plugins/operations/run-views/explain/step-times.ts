import type { StepView } from './answers.ts';

/**
 * When a call began and ended. That of a child that has ended before it is collected takes no time: what counts is the child's own.
 */
export function readStepTimes({ kind, child, started_at, recorded_at }: StepView): {
  from: string;
  to: string | undefined;
} {
  const collected = kind === 'activity-collect' && recorded_at !== undefined;
  if (collected && child?.begun_at !== undefined && child.ended_at !== undefined)
    return { from: child.begun_at, to: child.ended_at };
  return { from: started_at, to: recorded_at };
}
