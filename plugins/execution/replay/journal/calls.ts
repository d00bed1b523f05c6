import type { JournalRecord } from '../../../engine/runs/contract.ts';
import type { OpenSite, RecordedOutcome, SiteCall } from '../contract.ts';
import type { MutexReservation } from './mutex.ts';

/** A site that a call has taken and that has no record yet. */
export type Site = Required<Pick<SiteCall, 'kind' | 'name' | 'digest'>> &
  Pick<SiteCall, 'label'> &
  Pick<OpenSite, 'position' | 'ordinal'>;

/** A caller within the program. */
export interface Caller {
  alive: () => boolean;
  /** The reservation that it holds, if any. */
  reservation: MutexReservation | undefined;
}

/** The record of a call, and when it becomes durable. */
export interface CallResult {
  record: JournalRecord;
  stored: Promise<unknown>;
}

export type BuildArgs = ((outcome: RecordedOutcome) => unknown) | undefined;

/** Wraps a record that is already durable. */
export const durableResult = (record: JournalRecord): CallResult => ({ record, stored: Promise.resolve() });

export const toRecord = (site: Site, started_at: number, outcome: RecordedOutcome): JournalRecord => ({
  ...site,
  exit_code: outcome.exit_code,
  output: outcome.output.toString('base64'),
  message: outcome.message,
  started_at,
});
