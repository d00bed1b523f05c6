import type { ScheduleView } from '../generated/schedule.ts';
import type { ScheduleEntry } from '../store/schedule-table.ts';
import type { Workflow } from './workflow.ts';

export const isoOf = (at: number): string => new Date(at).toISOString();

/** As the API shows it; without the workflow itself, what is known of it. */
export function viewOf(entry: ScheduleEntry, workflow?: Workflow): ScheduleView {
  const about = entry.about === null ? null : (JSON.parse(entry.about) as Record<string, unknown>);
  return {
    name: entry.name,
    cron: entry.cron,
    timezone: entry.timezone,
    ...(entry.subject === null ? {} : { subject: entry.subject }),
    paused: entry.paused === 1,
    ...(entry.next_due === null ? {} : { next_due: isoOf(entry.next_due) }),
    ...lastTickOf(entry),
    workflow: about && { ...about, ...workflow },
    created_at: isoOf(entry.created_at),
    set_at: isoOf(entry.set_at),
  };
}

function lastTickOf(entry: ScheduleEntry): Pick<ScheduleView, 'last_tick'> {
  const { last_due, ticked_at, last_event, last_run, missed_count, last_error } = entry;
  if (last_due === null || ticked_at === null || last_event === null) return {};
  const last_tick = {
    due: isoOf(last_due),
    ticked_at: isoOf(ticked_at),
    event: last_event,
    ...(last_run === null ? {} : { run_id: last_run }),
    ...(missed_count === null ? {} : { missed_count }),
    ...(last_error === null ? {} : { error: last_error }),
  };
  return { last_tick };
}
