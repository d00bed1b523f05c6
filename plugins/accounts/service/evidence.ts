import { iso } from '../../../kernel/contracts/index.ts';

/** What is known of a token that was presented without an answer. */
export interface Known {
  request_id: string;
  /** When the intent was written. */
  written_at: number;
  presented: number;
  why: string;
}

/** In plain words, for people who must decide: nothing secret. */
export function evidenceOf({ request_id, written_at, presented, why }: Known): string {
  const often = presented > 1 ? `${presented} times, the last time` : '';
  return (
    `the refresh token may have been presented ${often ? `${often} ` : ''}after ${iso(written_at)} (request ${request_id}), ` +
    `and no answer is known: ${why}. Presenting it again could end the whole grant, so nothing more was sent`
  );
}
