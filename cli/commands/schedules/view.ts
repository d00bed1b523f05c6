/** A schedule as the server shows it. */
export interface ScheduleView {
  name: string;
  cron: string;
  timezone: string;
  subject?: string;
  paused: boolean;
  next_due?: string;
  last_tick?: { due: string; ticked_at: string; event: string; run_id?: string; missed_count?: number; error?: string };
  workflow: { kind?: string; filename?: string } | null;
  set_at: string;
}

/** What a tick starts, in a word. */
export const startsOf = ({ workflow }: ScheduleView): string =>
  workflow === null ? 'an event' : (workflow.filename ?? `a ${workflow.kind}`);

export const dueOf = ({ paused, next_due }: ScheduleView): string => (paused ? 'paused' : (next_due ?? 'never again'));
