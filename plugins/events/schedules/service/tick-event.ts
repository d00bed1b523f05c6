import { iso } from '../../../../kernel/contracts/index.ts';
import type { NewEvent } from '../../bus/contract.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import type { ScheduleRow } from '../store/schedules.ts';

type Ticking = Pick<ScheduleRow, 'org_id' | 'project_id' | 'name' | 'subject' | 'cron' | 'timezone'>;

interface TickOf {
  event_id: string;
  due: number;
  /** More members of the payload. */
  more: { [member: string]: Json };
  /** Default: the due time, so that it has one event. */
  dedup?: string;
}

/** Builds the event of a due time. */
export function buildTickEvent(
  { org_id, project_id, name, subject, cron, timezone }: Ticking,
  { event_id, due, more, dedup = iso(due) }: TickOf,
): NewEvent {
  return {
    org_id,
    project_id,
    event_id,
    type: 'schedule.tick',
    key: subject,
    payload: { schedule: name, due: iso(due), cron, timezone, ...more },
    fields: { schedule: name },
    source: 'schedule',
    source_name: name,
    generation: 0,
    trusted: true,
    dedup: dedupOf(name, dedup),
    refusable: false,
  };
}

const dedupOf = (name: string, which: string): string => `schedule:${name}:${which}`;

/** Identifies the event of a due time among all of its project. */
export const dueDedup = (name: string, due: number): string => dedupOf(name, iso(due));
