import { formatDuration, iso } from '../../../../kernel/contracts/index.ts';
import type { ScheduleView } from '../generated/schedule.ts';
import type { Start } from '../domain/starts.ts';
import type { NextDue } from '../generated/next-due.ts';
import type { ScheduleEntry, ScheduleRow } from '../store/schedules.ts';
import type { OpenRun, SkippedTick, WaitingTick } from '../store/waiting-ticks.ts';
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
    next_due: entry.next_due === null ? undefined : iso(entry.due_at ?? entry.next_due),
    starts_at: entry.next_due === null || entry.due_at === null ? undefined : iso(entry.next_due),
    overlap: renderOverlap(entry),
    jitter: renderDuration(entry.jitter_ms),
    catch_up: renderDuration(entry.catch_up_ms),
    deadline: renderDuration(entry.deadline_ms),
    last_tick: renderLastTick(entry),
    workflow: entry.about === null ? null : { ...workflowView(entry.about, workflow) },
    owner: entry.owner ?? undefined,
    created_at: iso(entry.created_at),
    set_at: iso(entry.set_at),
  };
}

/** `allow` is the default, and is stored as null. */
const renderOverlap = ({ overlap }: Pick<ScheduleEntry, 'overlap'>): ScheduleView['overlap'] =>
  overlap === null || overlap === 'allow' ? undefined : overlap;

const renderDuration = (ms: number | null): string | undefined => (ms === null ? undefined : formatDuration(ms));

/** What `renderNext` shows. */
export interface Coming {
  starts: readonly Start[];
  /** The oldest run that the policy looks at. */
  open: OpenRun | undefined;
  waiting: readonly WaitingTick[];
  skipped: readonly SkippedTick[];
}

/** Renders the next due times with what happens at each, and why others wait or were skipped. */
export function renderNext(row: ScheduleRow, { starts, open, waiting, skipped }: Coming): NextDue {
  const { name, cron, timezone } = row;
  const paused = row.paused === 1;
  return {
    name,
    cron,
    timezone,
    paused,
    next: starts.map(({ due }) => iso(due)),
    upcoming: starts.map(({ due, starts_at }) => ({
      due: iso(due),
      starts_at: iso(starts_at),
      ...outcomeOf(row, open),
    })),
    waiting: waiting.map((tick) => ({
      due: iso(tick.due),
      since: iso(tick.written_at),
      backfill: tick.backfill === 1,
      event: tick.event_id ?? undefined,
      reason: waitReason(tick, paused, open),
    })),
    skipped: skipped.map(({ due, written_at, reason }) => ({ due: iso(due), at: iso(written_at), reason })),
  };
}

function outcomeOf(
  { paused, overlap }: Pick<ScheduleRow, 'paused' | 'overlap'>,
  open: OpenRun | undefined,
): Pick<NextDue['upcoming'][number], 'outcome' | 'reason'> {
  if (paused === 1) return { outcome: 'paused', reason: 'the schedule is paused' };
  if (overlap === null || overlap === 'allow' || open === undefined) return { outcome: 'start' };
  return { outcome: overlap, reason: `${OVERLAP_WORDS[overlap]} ${open.run_id}, unless that has ended by then` };
}

const OVERLAP_WORDS = { skip: 'skipped because of', queue: 'waits for', cancel: 'cancels' } as const;

function waitReason({ backfill, overlap }: WaitingTick, paused: boolean, open: OpenRun | undefined): string {
  if (paused && backfill !== 1) return 'the schedule is paused';
  if (overlap !== 'allow' && open !== undefined) return `waits for ${open.run_id}`;
  return 'starts in a moment';
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
