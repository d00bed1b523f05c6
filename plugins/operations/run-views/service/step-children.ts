import { iso } from '../../../../kernel/contracts/index.ts';
import {
  type ActivityScope,
  type ChildState,
  type InFlightCall,
  renderProgress,
  type RunReader,
  type Step,
} from '../../../engine/runs/contract.ts';
import type { LinkedStep, StepChild } from './render.ts';

/** The kind of the verb that calls a run. */
const CALL = 'call';

const OPEN_STATES: Record<string, StepChild['state']> = {
  pending: 'queued',
  claimed: 'running',
  parked: 'waiting',
  cancelled: 'cancelled',
};

export interface ChildrenDeps {
  reader: Pick<RunReader, 'calledRuns' | 'children' | 'commandAttempts'>;
  run: ActivityScope;
  /** What agents carry out now. */
  in_flight: readonly InFlightCall[];
}

/** The steps; a step that concerns a child, or has called a run, also shows how that stands. */
export async function linkChildren(deps: ChildrenDeps, steps: readonly Step[]): Promise<LinkedStep[]> {
  return linkActivities(deps, await linkRuns(deps, steps));
}

const toKey = ({ activity_id, position }: { activity_id: string; position: number }) => `${activity_id}/${position}`;

async function linkRuns({ reader, run }: ChildrenDeps, steps: readonly Step[]): Promise<LinkedStep[]> {
  const calls = steps.filter(({ kind }) => kind === CALL);
  if (calls.length === 0) return [...steps];
  const runs = new Map(
    (await reader.calledRuns(run.run_id, calls)).map((call) => [
      toKey(call),
      { run_id: call.called_id, status: call.status },
    ]),
  );
  return steps.map((step) => ({ ...step, run: step.kind === CALL ? runs.get(toKey(step)) : undefined }));
}

async function linkActivities(
  { reader, run, in_flight }: ChildrenDeps,
  steps: readonly LinkedStep[],
): Promise<LinkedStep[]> {
  const concerned = steps.filter(concernsChild);
  if (concerned.length === 0) return [...steps];
  const rows = await reader.children(run.run_id, concerned);
  const calls = new Map(in_flight.map((call) => [call.activity_id, call]));
  const children = new Map(
    rows.map((row) => [`${row.parent} ${row.name}`, renderChild(row, calls.get(row.activity_id))]),
  );
  const childOf = (step: Step) => (concernsChild(step) ? children.get(`${step.activity_id} ${step.name}`) : undefined);
  const ids = steps.flatMap((step) => (createsChild(step) ? (childOf(step)?.activity_id ?? []) : []));
  const attempts = await reader.commandAttempts(run, ids);
  return steps.map((step) => {
    const child = childOf(step);
    if (child === undefined) return step;
    return createsChild(step) ? { ...step, child, attempts: attempts.get(child.activity_id) } : { ...step, child };
  });
}

/** The call with which a child began. The attempts of the child are shown there. */
const createsChild = ({ kind }: Step): boolean => kind === 'activity' || kind === 'activity-submit';

const concernsChild = ({ kind, name }: Step): boolean => kind.startsWith('activity') && name !== '';

function renderChild(
  { activity_id, state, exit_code, agent_id, requires: required, created_at, finished_at }: ChildState,
  call: InFlightCall | undefined,
): StepChild {
  const open = OPEN_STATES[state];
  const times = { begun_at: iso(created_at), ended_at: finished_at === null ? undefined : iso(finished_at) };
  if (open !== undefined) {
    const capabilities = JSON.parse(required ?? '[]') as string[];
    const requires = capabilities.length === 0 ? undefined : capabilities;
    const running = open === 'running' && call ? renderProgress(call) : undefined;
    return { activity_id, state: open, requires, agent_id: agent_id ?? undefined, running, ...times };
  }
  return { activity_id, state: 'ended', exit_code: exit_code ?? (state === 'done' ? 0 : 1), ...times };
}
