import { type Database, type Ids, iso, type Sealer, type Transaction } from '../../../kernel/contracts/index.ts';
import type { EventBus, NewEvent } from '../../bus/contract.ts';
import { type AuditedWrites, type NamedCall, notFound } from '../../resources/contract.ts';
import type { RunCreation, RunFeed } from '../../runs/contract.ts';
import type { PlannedRun, StoredWorkflows } from '../../workflows/contract.ts';
import { SCHEDULE } from '../domain/names.ts';
import type { TriggeredSchedule } from '../generated/triggered-schedule.ts';
import { type ScheduleRow, schedules } from '../store/schedules.ts';
import { noteTriggered } from '../store/tick-rows.ts';
import { placeOf, startOf } from './workflow.ts';

export interface TriggeringParts {
  database: Pick<Database, 'now'>;
  sealer: Pick<Sealer, 'prepare'>;
  ids: Ids;
  writes: Pick<AuditedWrites, 'write'>;
  bus: Pick<EventBus, 'lock' | 'record'>;
  creation: Pick<RunCreation, 'createIn'>;
  feed: Pick<RunFeed, 'records'>;
  workflows: StoredWorkflows;
}

/** The run of a tick by hand, so that a repeated request finds it by the event. */
const runOf = (event_id: string): string => event_id.replace(/^evt_/, 'run_');

/**
 * A tick now, paused or not: the event and the run are recorded as those of a due time are, in one transaction, and the
 * next due time stays. `key` is the digest of an idempotency key. Throws `not_found` and the refusals of a start.
 */
export async function triggerSchedule(
  parts: TriggeringParts,
  call: NamedCall,
  key: string | undefined,
): Promise<TriggeredSchedule> {
  const { scope, name } = call;
  await parts.sealer.prepare(scope.org_id);
  const event_id = parts.ids.next('evt');
  // The text makes a transaction that runs twice find its event.
  const dedup = `schedule:${name}:by-hand:${key ?? event_id}`;
  const done = await parts.writes.write(
    call,
    'schedule.trigger',
    (tx) => tick(parts, tx, call, { event_id, dedup }),
    ({ event }) => event,
  );
  if (!done.duplicate) return done;
  const [first] = await parts.feed.records(scope, [runOf(done.event)]);
  return { event: done.event, run_id: first?.run_id, duplicate: true };
}

async function tick(
  { database, bus, creation, workflows }: TriggeringParts,
  tx: Transaction,
  { scope, name, by }: NamedCall,
  { event_id, dedup }: { event_id: string; dedup: string },
): Promise<TriggeredSchedule> {
  await bus.lock(tx, scope);
  const row = await schedules.lock(tx, scope, name);
  if (row === undefined) throw notFound(SCHEDULE, name);
  const [due, triggered_by] = [database.now(), by.principal?.name ?? ''];
  const [recorded] = await bus.record(tx, [eventOf(row, { event_id, dedup, due, triggered_by })]);
  const event = recorded!.event_id;
  if (event !== event_id) return { event, duplicate: true };
  const planned = await plan(workflows, tx, row, event, triggered_by);
  const run = planned && 'run' in planned ? planned.run : undefined;
  const error = planned && 'refused' in planned ? planned.refused : undefined;
  await noteTriggered(tx, row, { due, event, run: run?.run_id, error, by: triggered_by });
  if (run) await creation.createIn(tx, [run]);
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
  const workflow = workflows.open(placeOf(row, row.name, row.revision), row.workflow);
  const start = startOf(row.name, row.subject, event_id);
  const trigger = { ...start.trigger, triggered_by };
  return workflows.plan(tx, row, workflow, { ...start, trigger, run_id: runOf(event_id) });
}

function eventOf(
  { org_id, project_id, name, subject, cron, timezone }: ScheduleRow,
  { event_id, dedup, due, triggered_by }: { event_id: string; dedup: string; due: number; triggered_by: string },
): NewEvent {
  return {
    org_id,
    project_id,
    event_id,
    type: 'schedule.tick',
    key: subject,
    payload: { schedule: name, due: iso(due), cron, timezone, triggered: true, triggered_by },
    fields: { schedule: name },
    source: 'schedule',
    source_name: name,
    generation: 0,
    trusted: true,
    dedup,
    refusable: false,
  };
}
