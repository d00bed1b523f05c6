import { isUtf8 } from 'node:buffer';
import { iso } from '../../../kernel/contracts/index.ts';
import { siteOf } from '../contract.ts';
import type { CellRecord } from '../generated/cell.ts';
import type { RunRecord } from '../generated/run.ts';
import type { StepRecord } from '../generated/step.ts';
import type { StepAttempt } from '../store/step-attempts.ts';
import type { Step } from '../store/steps.ts';
import type { HeldClaim } from '../store/held-claims.ts';
import type { HeldCall } from '../store/under-way.ts';

export type StepChild = NonNullable<StepRecord['child']>;
export type ShownStep = Step & Pick<StepRecord, 'child' | 'run'>;

export interface Cell {
  entity: string;
  key: string;
  value?: string;
  updated_at: number;
}

const time = (ms: number | null | undefined): string | undefined => (ms == null ? undefined : iso(ms));

export function renderStep(step: ShownStep): StepRecord {
  const { position, kind, name, ordinal, recorded, under_way, attempts = [] } = step;
  const retrying = attempts.length > 0 && step.deadline === null && step.child === undefined;
  return {
    position,
    kind,
    name,
    ordinal,
    site: siteOf(step),
    label: step.label ?? undefined,
    status: recorded ? 'recorded' : retrying ? 'retrying' : under_way ? 'running' : 'waiting',
    running: recorded || !under_way ? undefined : renderRunning(under_way),
    ...(recorded && renderRecorded(recorded)),
    started_at: iso(step.started_at),
    recorded_at: time(recorded?.at),
    deadline: time(step.deadline),
    ...(attempts.length > 0 && { attempts: attempts.map(renderAttempt), max_attempts: attempts[0]!.attempts }),
    child: step.child,
    run: step.run,
    pass: step.epoch,
    activity_id: step.activity_id,
    activity: step.activity,
  };
}

type Running = NonNullable<StepRecord['running']>;

export const renderRunning = ({ since, agent_id, name: agent, call: { attempt, attempts } }: HeldCall): Running => ({
  since: iso(since),
  ...{ agent_id, agent, attempt, max_attempts: attempt === undefined ? undefined : attempts },
});

/** The same with the call that it is, for views of runs and nodes. */
export function renderUnderWay(held: HeldCall): NonNullable<RunRecord['running']>[number] {
  const { kind, name, ordinal, label } = held.call;
  const { activity_id, activity } = held;
  const site = siteOf({ kind, name, ordinal });
  return { kind, name, site, label, ...renderRunning(held), activity_id, activity };
}

/** A claim is renewed for a whole lease: what is missing of it says when the agent was heard of last. */
export function renderClaim(
  { deadline, ...held }: HeldClaim,
  { now, lease_ms }: { now: number; lease_ms: number },
): NonNullable<RunRecord['claims']>[number] {
  const last_sign = Math.min(now, deadline - lease_ms);
  return { ...held, last_sign_at: iso(last_sign), silent_ms: Math.round(now - last_sign), ends_at: iso(deadline) };
}

function renderAttempt({ attempt, started_at, ended_at, next_at, ...outcome }: StepAttempt) {
  return {
    attempt,
    ...renderRecorded(outcome),
    started_at: iso(started_at),
    ended_at: iso(ended_at),
    next_at: iso(next_at),
  };
}

function renderRecorded({
  exit_code,
  output,
  message,
}: Pick<NonNullable<Step['recorded']>, 'exit_code' | 'output' | 'message'>) {
  const stdout = isUtf8(output) ? { stdout: output.toString() } : { stdout_base64: output.toString('base64') };
  return { exit_code, ...stdout, message: message ?? undefined };
}

export const renderCell = ({ updated_at, ...cell }: Cell): CellRecord => ({ ...cell, updated_at: iso(updated_at) });
