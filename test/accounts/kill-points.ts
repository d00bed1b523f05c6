import {
  RENEWAL_TABLE,
  type Provider,
  type Situation,
} from '../../plugins/integrations/accounts/domain/renewal-table.ts';
import type { WayFault } from './token-proxy.ts';

export const PAIRS = ['keeps', 'rotates', 'rotates_and_revokes'] as const satisfies readonly Provider[];

export interface KillPoint {
  name: string;
  /** On the way to the provider and back. */
  fault?: WayFault;
  /** The server dies here; with `hold` it is killed while it waits for the answer. */
  failpoint?: string;
  /** The grant was ended at the provider before. */
  ended?: boolean;
  /** How the table calls it. */
  situation: Situation;
  /** The provider got the token, and replaced it if it does that. */
  taken?: boolean;
  /** The token did not leave before the server died. */
  kept?: boolean;
}

/** Where the connection breaks, or the provider says something else. */
export const WAYS: readonly KillPoint[] = [
  { name: 'plain', situation: 'granted', taken: true },
  { name: 'slow', fault: 'delay', situation: 'granted', taken: true },
  { name: 'repeated', fault: 'repeat', situation: 'granted', taken: true },
  { name: 'request-lost', fault: 'lose_request', situation: 'lost' },
  { name: 'answer-lost', fault: 'lose_answer', situation: 'lost', taken: true },
  { name: 'answer-cut', fault: 'cut_answer', situation: 'lost', taken: true },
  { name: 'gateway', fault: 'gateway', situation: 'lost', taken: true },
  { name: 'broken', fault: 'broken', situation: 'lost' },
  { name: 'no', ended: true, situation: 'gone' },
  { name: 'busy', fault: 'busy', situation: 'later' },
  { name: 'not-now', fault: 'not_now', situation: 'later' },
  { name: 'client', fault: 'unknown_client', situation: 'client_refused' },
];

/** Where the server dies. */
export const DEATHS: readonly KillPoint[] = [
  { name: 'before-intent', failpoint: 'accounts.due', situation: 'unsent', kept: true },
  { name: 'intended', failpoint: 'accounts.intended', situation: 'lost', kept: true },
  { name: 'sent', fault: 'hold', situation: 'lost', taken: true },
  { name: 'answered', failpoint: 'accounts.answered', situation: 'lost', taken: true },
];

/** Nobody listens at the provider for a while: no byte leaves. */
export const DOWN: KillPoint = { name: 'down', situation: 'unsent', kept: true };

/** What the table says becomes of it, and how often the token of the beginning is presented until then. */
export function expected(pair: Provider, { situation, taken = false, kept = false }: KillPoint) {
  const table = RENEWAL_TABLE[pair];
  const decision = table[situation];
  const again = decision === 'retry' || decision === 'replay';
  const then = taken && pair !== 'keeps' ? table.gone : table.granted;
  return { status: again ? then : decision, presented: (kept ? 0 : 1) + (again ? 1 : 0) };
}
