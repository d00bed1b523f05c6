import { type Database, failpoint, type Ids, type Transaction } from '../../../../kernel/contracts/index.ts';
import type { Delivery, ProjectScope } from '../../bus/contract.ts';
import {
  type RunCreation,
  type RunLimits,
  type SubmitResult,
  TERMINAL,
  type Workflow,
} from '../../../engine/runs/contract.ts';
import type { PlannedRun, StoredWorkflows } from '../../workflows/contract.ts';
import { MAX_IN_FLIGHT } from '../domain/ceilings.ts';
import { reserveSlot, hasSlot, type Capacity } from '../domain/capacity.ts';
import { admissionId } from '../domain/concurrency.ts';
import { toDeadLetter } from '../domain/dead-letters.ts';
import { type StartEvent, toWorkflowStart } from '../domain/start.ts';
import { addCounts } from '../store/counts.ts';
import { type DeadLetter, insertDeadLetters } from '../store/dead-letters.ts';
import { type HandlerRow, readHandlers } from '../store/handlers.ts';
import { insertOpenRuns } from '../store/open-runs.ts';
import { sealContext } from './definitions.ts';

export interface StarterDeps {
  database: Pick<Database, 'now'>;
  ids: Pick<Ids, 'next'>;
  workflows: StoredWorkflows;
  limits: Pick<RunLimits, 'project'>;
  /** Resolved lazily, because the engine calls this plugin when runs end. */
  creation(): Pick<RunCreation, 'createIn' | 'untrustedRefusal' | 'countStarted'>;
}

/** A run that should be created. */
export interface HandlerStart {
  name: string;
  event: StartEvent;
  /** The id of the replay that starts it. */
  replay?: string;
}

const REMOVED: PlannedRun = { refusal_reason: 'the handler was removed' };

/**
 * Creates handler runs, and counts those that do not wait from the beginning as in flight. The caller holds the lock
 * of the project's bus. Returns the outcomes of the first starts, in order; a refused start uses no slot. Later
 * starts are left alone, from the first without a slot on and for handlers beyond those read at once.
 */
export async function startRuns(
  deps: StarterDeps,
  tx: Transaction,
  scope: ProjectScope,
  starts: readonly HandlerStart[],
  room: Capacity,
): Promise<Delivery[]> {
  if (starts.length === 0) return [];
  const names = [...new Set(starts.map(({ name }) => name))].slice(0, MAX_IN_FLIGHT);
  const rows = await readHandlers(tx, scope, names);
  const first_unread = starts.findIndex(({ name }) => !names.includes(name));
  const planned = await planAll(deps, tx, rows, first_unread < 0 ? starts : starts.slice(0, first_unread), room);
  const runs = planned.flatMap((plan) => ('run' in plan ? [plan.run] : []));
  const created = runs.length > 0 ? await deps.creation().createIn(tx, runs) : [];
  // A run without work for an agent may have ended already; its end was recorded before it could be counted.
  const open = created.filter(({ duplicate, status }) => !duplicate && !TERMINAL.includes(status));
  const in_flight = new Map(open.map(({ run_id, status }) => [run_id, status]));
  await countStarts(deps, tx, scope, starts, planned, created);
  await insertDeadLetters(tx, scope, lettersOf(deps, starts, planned, created));
  await insertOpenRuns(
    tx,
    scope,
    planned.flatMap((plan, index) => {
      const { name, event } = starts[index]!;
      return 'run' in plan && in_flight.has(plan.run.run_id)
        ? [
            {
              run_id: plan.run.run_id,
              name,
              event_id: event.event_id,
              trusted: event.trusted,
              admission: admissionId(name, event.fields),
              waiting: in_flight.get(plan.run.run_id) === 'waiting',
            },
          ]
        : [];
    }),
    deps.database.now(),
  );
  failpoint('handlers.apply');
  return planned.map((plan, index): Delivery => {
    const { name, event } = starts[index]!;
    const delivery = { event_id: event.event_id, reaction: 'handler', name };
    if ('refusal_reason' in plan) return { ...delivery, state: 'refused', reason: plan.refusal_reason };
    return { ...delivery, state: 'delivered', run_id: plan.run.run_id };
  });
}

/** Returns the letters of starts that were refused, and of runs that failed within the transaction. */
function lettersOf(
  { database, ids }: StarterDeps,
  starts: readonly HandlerStart[],
  planned: readonly PlannedRun[],
  created: readonly SubmitResult[],
): DeadLetter[] {
  const failed = new Set(
    created.filter(({ duplicate, status }) => !duplicate && status === 'failed').map(({ run_id }) => run_id),
  );
  return planned.flatMap((plan, index) => {
    const { name, event } = starts[index]!;
    const delivery = { name, event_id: event.event_id, type: event.type };
    // Nothing can be delivered again to a handler that is gone.
    if (plan === REMOVED) return [];
    if ('refusal_reason' in plan)
      return [toDeadLetter(ids, { ...delivery, reason: plan.refusal_reason }, database.now())];
    const { run_id } = plan.run;
    return failed.has(run_id) ? [toDeadLetter(ids, { ...delivery, run_id }, database.now())] : [];
  });
}

/**
 * A run that failed within the transaction was not counted at its end, when nobody knew yet that a handler started
 * it.
 */
async function countStarts(
  { database }: StarterDeps,
  tx: Transaction,
  scope: ProjectScope,
  starts: readonly HandlerStart[],
  planned: readonly PlannedRun[],
  created: readonly SubmitResult[],
): Promise<void> {
  const names = new Map(planned.flatMap((plan, at) => ('run' in plan ? [[plan.run.run_id, starts[at]!.name]] : [])));
  const entries = created
    .filter(({ duplicate }) => !duplicate)
    .flatMap(({ run_id, status }) => {
      const name = names.get(run_id)!;
      const started = { name, kind: 'started' as const };
      return status === 'failed' ? [started, { name, kind: 'failed' as const }] : [started];
    });
  await addCounts(tx, scope, entries, database.now());
}

/** Stops at the first start without a free slot. */
async function planAll(
  { workflows }: StarterDeps,
  tx: Transaction,
  rows: ReadonlyMap<string, HandlerRow>,
  starts: readonly HandlerStart[],
  room: Capacity,
): Promise<PlannedRun[]> {
  const workflows_by_name = new Map(
    [...rows].map(([name, row]) => [name, workflows.open(sealContext(row), row.definition)]),
  );
  const planned: PlannedRun[] = [];
  let remaining = room;
  for (const { name, event, replay } of starts) {
    const row = rows.get(name);
    const workflow = workflows_by_name.get(name);
    const plan = row && workflow ? await planRun(workflows, tx, row, workflow, event, replay) : REMOVED;
    if ('run' in plan) {
      if (!hasSlot(remaining, event.trusted)) break;
      remaining = reserveSlot(remaining, event.trusted);
    }
    planned.push(plan);
  }
  return planned;
}

async function planRun(
  workflows: StoredWorkflows,
  tx: Transaction,
  row: HandlerRow,
  workflow: Workflow,
  event: StartEvent,
  replay: string | undefined,
): Promise<PlannedRun> {
  if (!event.trusted && Object.keys(workflow.credentials ?? {}).length > 0)
    return { refusal_reason: 'untrusted_run_declares_credential: the handler now declares credentials' };
  return workflows.plan(tx, row, workflow, toWorkflowStart(row.name, event, replay));
}
