import { type Fault, type Scope, token, type Transaction } from '../../kernel/contracts/index.ts';
import type { ProjectScope } from '../resources/contract.ts';
import type { Workflow } from '../runs/contract.ts';

/** A schedule that a plugin and not a person makes; it exists as long as its owner. */
export interface OwnedSchedule {
  scope: Scope;
  /** `graph.<graph>.<node>` */
  name: string;
  /** `graph:<graph>`; only the same owner changes or removes it. At most 128 characters. */
  owner: string;
  cron: string;
  /** IANA name. Absent: `UTC`. */
  timezone?: string;
  workflow: Workflow;
  /** Id of the person on whose behalf; the submitter of its runs. */
  set_by: string | null;
}

/** A schedule that was checked, for one transaction. */
export interface PreparedSchedule {
  /**
   * Makes it or replaces it; after a deadlock again. Answers when it is due next, epoch ms. Throws `name_conflict` when
   * another owner has the name, `schedules_full`.
   */
  put(tx: Transaction): Promise<number | undefined>;
}

/** Schedules in the transactions of the resources that own them; the owner writes the audit row. */
export interface ScheduleOwnership {
  /** Faults of an expression and a time zone, at `/cron` and `/timezone`. */
  faults(cron: string, timezone: string | undefined): Fault[];
  /** Checks a schedule as a `PUT` does. Throws its errors. */
  prepare(schedule: OwnedSchedule): Promise<PreparedSchedule>;
  /** False when this owner has no schedule of that name. Its runs continue. */
  drop(tx: Transaction, schedule: ProjectScope & Pick<OwnedSchedule, 'name' | 'owner'>): Promise<boolean>;
}

export const ScheduleOwnership = token<ScheduleOwnership>('schedules.ScheduleOwnership');
