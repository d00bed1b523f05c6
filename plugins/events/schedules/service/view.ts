import { iso } from '../../../../kernel/contracts/index.ts';
import type { ScheduleView } from '../generated/schedule.ts';
import type { ScheduleEntry } from '../store/schedules.ts';
import type { Workflow } from '../../../engine/runs/contract.ts';
import { workflowView } from '../../workflows/contract.ts';

/** Renders a schedule for the API. Without the opened workflow, it renders the form for lists. */
export function toView(entry: ScheduleEntry, workflow?: Workflow): ScheduleView {
  return {
    name: entry.name,
    cron: entry.cron,
    timezone: entry.timezone,
    subject: entry.subject ?? undefined,
    paused: entry.paused === 1,
    paused_since: entry.paused_at === null ? undefined : iso(entry.paused_at),
    paused_by: entry.paused_by ?? undefined,
    next_due: entry.next_due === null ? undefined : iso(entry.next_due),
    last_tick: renderLastTick(entry),
    workflow: entry.about === null ? null : { ...workflowView(entry.about, workflow) },
    owner: entry.owner ?? undefined,
    created_at: iso(entry.created_at),
    set_at: iso(entry.set_at),
  };
}

function renderLastTick(entry: ScheduleEntry): ScheduleView['last_tick'] {
  const { last_due, ticked_at, last_event, last_run, missed_count, last_error, last_by } = entry;
  if (last_due === null || ticked_at === null || last_event === null) return undefined;
  return {
    due: iso(last_due),
    ticked_at: iso(ticked_at),
    event: last_event,
    run_id: last_run ?? undefined,
    missed_count: missed_count ?? undefined,
    error: last_error ?? undefined,
    triggered_by: last_by ?? undefined,
  };
}
