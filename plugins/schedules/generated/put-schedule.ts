// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

import type {Workflow} from '../../runs/contract.ts';

/**
 * A workflow that starts, and an event that happens, when a clock says so.
 */
export interface PutScheduleBody {
  /**
   * Five fields (minute hour day month weekday), or six with seconds first; `L`, `W`, `#` and names as usual; or `@daily` and the like.
   */
  cron: string;
  /**
   * IANA name, e.g. `Europe/Berlin`. Default `UTC`.
   */
  timezone?: string;
  /**
   * What runs at each tick. Absent: a tick is only an event.
   */
  workflow?: Workflow;
  /**
   * What the ticks are about: the key of their events and the subject of their runs.
   */
  subject?: string;
  /**
   * No ticks until it is set again without. Default false.
   */
  paused?: boolean;
}
