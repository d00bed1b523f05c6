import { type Fault, type Scope, token, type Transaction } from '../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../platform/resources/contract.ts';
import type { Workflow } from '../../engine/runs/contract.ts';

/** A schedule that a plugin creates instead of a person. It exists as long as the resource that owns it. */
export interface OwnedSchedule {
  scope: Scope;
  /** Such as `graph.<graph>.<node>`. */
  name: string;
  /** Such as `graph:<graph>`. Only this owner can change or remove the schedule. At most 128 characters. */
  owner: string;
  cron: string;
  /** An IANA name; `UTC` by default. */
  timezone?: string;
  workflow: Workflow;
  /** The id of the person on whose behalf it is created, who becomes the submitter of its runs. */
  set_by: string | null;
}

/** A validated schedule, ready to be written in a transaction. */
export interface PreparedSchedule {
  /**
   * Creates or replaces the schedule, and returns when it is next due in epoch milliseconds. Safe to call again after
   * a deadlock. Throws `name_conflict` when another owner has the name, and `schedules_full`.
   */
  put(tx: Transaction): Promise<number | undefined>;
}

/** Manages schedules in the transactions of the resources that own them. The owner writes the audit row. */
export interface ScheduleOwnership {
  /** Returns the validation errors of an expression and a time zone, at `/cron` and `/timezone`. */
  validate(cron: string, timezone: string | undefined): Fault[];
  /** Validates a schedule like a `PUT`, and throws the same errors. */
  prepare(schedule: OwnedSchedule): Promise<PreparedSchedule>;
  /** Returns false when this owner has no schedule of that name. Running runs continue. */
  drop(tx: Transaction, schedule: ProjectScope & Pick<OwnedSchedule, 'name' | 'owner'>): Promise<boolean>;
}

export const ScheduleOwnership = token<ScheduleOwnership>('schedules.ScheduleOwnership');
