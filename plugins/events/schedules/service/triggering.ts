import type { Database, Ids, Sealer, Transaction } from '../../../../kernel/contracts/index.ts';
import type { EventBus } from '../../bus/contract.ts';
import { type AuditedWrites, type NamedRequest, notFound } from '../../../platform/resources/contract.ts';
import type { RunCreation, RunFeed } from '../../../engine/runs/contract.ts';
import type { PlannedRun, StoredWorkflows } from '../../workflows/contract.ts';
import { SCHEDULE } from '../domain/names.ts';
import type { TriggeredSchedule } from '../generated/triggered-schedule.ts';
import { type ScheduleRow, schedules } from '../store/schedules.ts';
import { addOpen } from '../store/waiting-ticks.ts';
import { recordTriggered } from '../store/tick-rows.ts';
import { buildTickEvent } from './tick-event.ts';
import { sealContext, toWorkflowStart } from './workflow.ts';

export interface TriggeringDeps {
  database: Pick<Database, 'now'>;
  sealer: Pick<Sealer, 'prepare'>;
  ids: Ids;
  writes: Pick<AuditedWrites, 'write'>;
  bus: Pick<EventBus, 'lock' | 'record'>;
  creation: Pick<RunCreation, 'createIn'>;
  feed: Pick<RunFeed, 'records'>;
  workflows: StoredWorkflows;
}

/** Derives the id of a manually triggered run from its event, so that a repeated request finds it. */
const deriveRunId = (event_id: string): string => event_id.replace(/^evt_/, 'run_');

/**
 * Ticks a schedule now, paused or not: the event and the run are recorded in one transaction as for a due time, but
 * the next due time stays. `key` is the digest of an idempotency key. Throws `not_found` and the errors of a start.
 */
export async function triggerSchedule(
  deps: TriggeringDeps,
  call: NamedRequest,
  key: string | undefined,
): Promise<TriggeredSchedule> {
  const { scope } = call;
  await deps.sealer.prepare(scope.org_id);
  const event_id = deps.ids.next('evt');
  // The deduplication key lets a transaction that runs twice find its event.
  const dedup = `by-hand:${key ?? event_id}`;
  const result = await deps.writes.write(
    call,
    'schedule.trigger',
    (tx) => recordTick(deps, tx, call, { event_id, dedup }),
    ({ event }) => event,
  );
  if (!result.duplicate) return result;
  const [existing] = await deps.feed.records(scope, [deriveRunId(result.event)]);
  return { event: result.event, run_id: existing?.run_id, duplicate: true };
}

async function recordTick(
  { database, bus, creation, workflows }: TriggeringDeps,
  tx: Transaction,
  { scope, name, by }: NamedRequest,
  { event_id, dedup }: { event_id: string; dedup: string },
): Promise<TriggeredSchedule> {
  await bus.lock(tx, scope);
  const row = await schedules.lock(tx, scope, name);
  if (row === undefined) throw notFound(SCHEDULE, name);
  const due = database.now();
  const triggered_by = by.principal?.name ?? '';
  const [recorded] = await bus.record(tx, [
    buildTickEvent(row, { event_id, dedup, due, more: { triggered: true, triggered_by } }),
  ]);
  const event = recorded!.event_id;
  if (event !== event_id) return { event, duplicate: true };
  const planned = await plan(workflows, tx, row, event, triggered_by);
  const run = planned && 'run' in planned ? planned.run : undefined;
  const error = planned && 'refusal_reason' in planned ? planned.refusal_reason : undefined;
  await recordTriggered(tx, row, { due, event, run: run?.run_id, error, triggered_by: triggered_by });
  if (run) {
    await creation.createIn(tx, [run]);
    if (row.overlap !== null) await addOpen(tx, row, { run_id: run.run_id, due });
  }
  return { event, run_id: run?.run_id, error };
}

async function plan(
  workflows: StoredWorkflows,
  tx: Transaction,
  row: ScheduleRow,
  event_id: string,
  triggered_by: string,
): Promise<PlannedRun | undefined> {
  if (row.workflow === null) return undefined;
  const workflow = workflows.open(sealContext(row, row.name, row.revision), row.workflow);
  const start = toWorkflowStart(row, event_id);
  const trigger = { ...start.trigger, triggered_by };
  return workflows.plan(tx, row, workflow, { ...start, trigger, run_id: deriveRunId(event_id) });
}
