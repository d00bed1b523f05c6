// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

import type {Workflow} from '../../../engine/runs/contract.ts';

/**
 * A workflow that starts, and an event that is recorded, at defined times.
 */
export interface PutScheduleBody {
  /**
   * Five fields (minute hour day month weekday), or six with seconds first; `L`, `W`, `#` and names as usual; or `@daily` and similar names.
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
   * True: no ticks until it is resumed. Default false.
   */
  paused?: boolean;
}
