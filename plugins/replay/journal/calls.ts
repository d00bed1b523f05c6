import type { JournalRecord } from '../../runs/contract.ts';
import type { OpenSite, RecordedOutcome, SiteCall } from '../contract.ts';
import type { KeptTurns } from './turns.ts';

/** A site that a call has taken and that has no record yet. */
export type Site = Required<Pick<SiteCall, 'kind' | 'name' | 'digest'>> &
  Pick<SiteCall, 'label'> &
  Pick<OpenSite, 'position' | 'ordinal'>;

/** One caller of the program. */
export interface Caller {
  alive: () => boolean;
  /** Turns that are kept for it. */
  kept: KeptTurns | undefined;
}

/** What a call has come to, and when that is durable. */
export interface Made {
  record: JournalRecord;
  stored: Promise<unknown>;
}

export type Settle = ((outcome: RecordedOutcome) => unknown) | undefined;

/** A call whose record is durable. */
export const done = (record: JournalRecord): Made => ({ record, stored: Promise.resolve() });

export const recordOf = (site: Site, started_at: number, outcome: RecordedOutcome): JournalRecord => ({
  ...site,
  exit_code: outcome.exit_code,
  output: outcome.output.toString('base64'),
  message: outcome.message,
  started_at,
});
