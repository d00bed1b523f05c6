import { isUtf8 } from 'node:buffer';
import { iso } from '../../../../kernel/contracts/index.ts';
import { renderProgress, siteOf, type Step, type StepAttempt } from '../../../engine/runs/contract.ts';
import type { StepRecord } from '../generated/step.ts';

export type StepChild = NonNullable<StepRecord['child']>;
/** A step with the child or the run that it has created. */
export type LinkedStep = Step & Pick<StepRecord, 'child' | 'run'>;

const isoOrNone = (ms: number | null | undefined): string | undefined => (ms == null ? undefined : iso(ms));

export function renderStep(step: LinkedStep): StepRecord {
  const { position, kind, name, ordinal, recorded, in_flight, attempts = [] } = step;
  const isRetrying = attempts.length > 0 && step.deadline === null && step.child === undefined;
  return {
    position,
    kind,
    name,
    ordinal,
    site: siteOf(step),
    label: step.label ?? undefined,
    status: recorded ? 'recorded' : isRetrying ? 'retrying' : in_flight ? 'running' : 'waiting',
    running: recorded || !in_flight ? undefined : renderProgress(in_flight),
    ...(recorded && renderOutcome(recorded)),
    started_at: iso(step.started_at),
    recorded_at: isoOrNone(recorded?.at),
    deadline: isoOrNone(step.deadline),
    ...(attempts.length > 0 && { attempts: attempts.map(renderAttempt), max_attempts: attempts[0]!.attempts }),
    child: step.child,
    run: step.run,
    pass: step.epoch,
    activity_id: step.activity_id,
    activity: step.activity,
  };
}

function renderAttempt({ attempt, started_at, ended_at, next_at, ...outcome }: StepAttempt) {
  return {
    attempt,
    ...renderOutcome(outcome),
    started_at: iso(started_at),
    ended_at: iso(ended_at),
    next_at: iso(next_at),
  };
}

function renderOutcome({
  exit_code,
  output,
  message,
}: Pick<NonNullable<Step['recorded']>, 'exit_code' | 'output' | 'message'>) {
  const stdout = isUtf8(output) ? { stdout: output.toString() } : { stdout_base64: output.toString('base64') };
  return { exit_code, ...stdout, message: message ?? undefined };
}
