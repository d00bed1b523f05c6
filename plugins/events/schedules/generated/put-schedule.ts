// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

import type {Workflow} from '../../../engine/runs/contract.ts';

/**
 * A schedule: at defined times, it records an event and starts a workflow.
 */
export interface PutScheduleBody {
  /**
   * Five fields (minute hour day month weekday), or six fields if the first one is seconds. The usual `L`, `W`, `#` and names of days and months are allowed, as are macros such as `@daily`.
   */
  cron: string;
  /**
   * IANA name, e.g. `Europe/Berlin`. Default `UTC`.
   */
  timezone?: string;
  /**
   * The workflow that runs at each tick. By default, a tick is only an event.
   */
  workflow?: Workflow;
  /**
   * The subject of the ticks: the key of their events, and the subject of the runs they start.
   */
  subject?: string;
  /**
   * If true, the schedule does not tick until it is resumed. Default false.
   */
  paused?: boolean;
  /**
   * What happens at a due time while an earlier run of the schedule has not ended. `allow` (the default) starts it anyway. `skip` does not start it. `queue` starts it when the earlier runs have ended; up to 100 due times wait. `cancel` cancels the earlier runs and starts it.
   */
  overlap?: 'allow' | 'skip' | 'queue' | 'cancel';
  /**
   * The longest delay between a due time and its start, at most `1d`. A given due time always has the same delay.
   */
  jitter?: string;
  /**
   * The maximum age, at most `30d`, of missed due times that start after an outage. Older ones are skipped. Default: one tick for all missed due times.
   */
  catch_up?: string;
  /**
   * How long after its due time a run can start, at most `30d`. If a due time has not started within this period, because it was queued or no server was running, it is skipped.
   */
  deadline?: string;
}
