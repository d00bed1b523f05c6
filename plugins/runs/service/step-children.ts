import { iso, type Sealer } from '../../../kernel/contracts/index.ts';
import { calledAt } from '../store/calls.ts';
import type { Reader } from '../store/parts.ts';
import type { HeldCall } from '../store/under-way.ts';
import { readCommandAttempts } from '../store/step-attempts.ts';
import { type ChildRow, readChildren, type Step } from '../store/steps.ts';
import { renderRunning, type ShownStep, type StepChild } from './render.ts';

const CALL = 'call';

const STATES: Record<string, StepChild['state']> = {
  pending: 'queued',
  claimed: 'running',
  parked: 'waiting',
  cancelled: 'cancelled',
};

interface OfRun {
  on: Reader;
  sealer: Sealer;
  scope: { org_id: string; project_id: string };
  run_id: string;
  /** What agents carry out now. */
  calls: readonly HeldCall[];
}

/** The steps; a step that concerns a child also shows the child's state. */
export async function withChildren(of: OfRun, steps: readonly Step[]): Promise<ShownStep[]> {
  return withActivities(of, await withRuns(of.on, of.run_id, steps));
}

/** A call also shows the run that it made. */
async function withRuns(on: Reader, run_id: string, steps: readonly Step[]): Promise<ShownStep[]> {
  const places = steps.flatMap(({ kind, activity_id, position }) =>
    kind === CALL ? [{ run_id, activity_id, position }] : [],
  );
  if (places.length === 0) return [...steps];
  const place = ({ activity_id, position }: { activity_id: string; position: number }) => `${activity_id}/${position}`;
  const runs = new Map(
    (await calledAt(on, places)).map((call) => [place(call), { run_id: call.called_id, status: call.status }]),
  );
  return steps.map((step) => ({ ...step, run: step.kind === CALL ? runs.get(place(step)) : undefined }));
}

async function withActivities(of: OfRun, steps: readonly ShownStep[]): Promise<ShownStep[]> {
  const speaking = steps.filter(speaksOfChild);
  if (speaking.length === 0) return [...steps];
  const rows = await readChildren(of.on, of.run_id, speaking);
  const calls = new Map(of.calls.map((call) => [call.activity_id, call]));
  const children = new Map(rows.map((row) => [`${row.parent} ${row.name}`, childOf(row, calls.get(row.activity_id))]));
  const childOfStep = (step: Step) =>
    speaksOfChild(step) ? children.get(`${step.activity_id} ${step.name}`) : undefined;
  const ids = steps.flatMap((step) => (asksForChild(step) ? (childOfStep(step)?.activity_id ?? []) : []));
  const attempts = await readCommandAttempts(of.on, of.sealer, of.scope, of.run_id, ids);
  return steps.map((step) => {
    const child = childOfStep(step);
    if (child === undefined) return step;
    return asksForChild(step) ? { ...step, child, attempts: attempts.get(child.activity_id) } : { ...step, child };
  });
}

/** The call with which a child began: its attempts are shown there. */
const asksForChild = ({ kind }: Step): boolean => kind === 'activity' || kind === 'activity-submit';

const speaksOfChild = ({ kind, name }: Step): boolean => kind.startsWith('activity') && name !== '';

function childOf(
  { activity_id, state, exit_code, agent_id, requires: required, created_at, finished_at }: ChildRow,
  call: HeldCall | undefined,
): StepChild {
  const open = STATES[state];
  const times = { begun_at: iso(created_at), ended_at: finished_at === null ? undefined : iso(finished_at) };
  if (open !== undefined) {
    const needs = JSON.parse(required ?? '[]') as string[];
    const requires = needs.length === 0 ? undefined : needs;
    const running = open === 'running' && call ? renderRunning(call) : undefined;
    return { activity_id, state: open, requires, agent_id: agent_id ?? undefined, running, ...times };
  }
  return { activity_id, state: 'ended', exit_code: exit_code ?? (state === 'done' ? 0 : 1), ...times };
}
