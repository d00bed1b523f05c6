import { iso } from '../../../../kernel/contracts/index.ts';

/** A token that was presented without a known answer. */
export interface PresentationRecord {
  request_id: string;
  /** The time at which the intent was written. */
  written_at: number;
  presented: number;
  why: string;
}

/** Describes the evidence for the people who must decide. It contains nothing secret. */
export function describeEvidence({ request_id, written_at, presented, why }: PresentationRecord): string {
  const often = presented > 1 ? `${presented} times, the last time` : '';
  return (
    `the refresh token may have been presented ${often ? `${often} ` : ''}after ${iso(written_at)} (request ${request_id}), ` +
    `and no response is known: ${why}. Presenting it again could end the whole grant, so nothing more was sent`
  );
}
