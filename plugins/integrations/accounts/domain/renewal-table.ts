import type { Capabilities, TokenOutcome } from '../../providers/contract.ts';

/** What a provider does with a refresh token that was presented. */
export type Provider = 'keeps' | 'rotates' | 'rotates_and_revokes';

/**
 * What is known after a renewal was begun. `lost`: the token may have been presented and nobody knows the answer: the
 * connection broke, or the server died at any moment after it had written its intent. `lost_again`: so was the second time.
 */
export type Situation = 'granted' | 'gone' | 'client_refused' | 'later' | 'unsent' | 'lost' | 'lost_again';

/**
 * - `active`: the new token is stored
 * - `needs_reauth`: the grant is gone
 * - `retry`: the same renewal later; nothing is at risk
 * - `replay`: the same token is presented once more, because it may not have arrived
 * - `in_doubt`: nothing more is sent, and a person must connect again
 */
export type Decision = 'active' | 'needs_reauth' | 'retry' | 'replay' | 'in_doubt';

/** The complete policy. The README shows it, and a test compares the two. */
export const RENEWAL_TABLE: Readonly<Record<Provider, Readonly<Record<Situation, Decision>>>> = {
  keeps: {
    granted: 'active',
    gone: 'needs_reauth',
    client_refused: 'retry',
    later: 'retry',
    unsent: 'retry',
    lost: 'retry',
    lost_again: 'retry',
  },
  rotates: {
    granted: 'active',
    gone: 'needs_reauth',
    client_refused: 'retry',
    later: 'retry',
    unsent: 'retry',
    lost: 'replay',
    lost_again: 'in_doubt',
  },
  rotates_and_revokes: {
    granted: 'active',
    gone: 'needs_reauth',
    client_refused: 'retry',
    later: 'retry',
    unsent: 'retry',
    lost: 'in_doubt',
    lost_again: 'in_doubt',
  },
};

/** A token that is not replaced can never be reused after its replacement, so presenting it again revokes nothing. */
export function providerKind({ rotates_refresh_token, reuse_revokes_family }: Capabilities): Provider {
  if (!rotates_refresh_token) return 'keeps';
  return reuse_revokes_family ? 'rotates_and_revokes' : 'rotates';
}

/** `presented`: how often the token may have been presented, this time included. */
export function toSituation(outcome: TokenOutcome, presented: number): Situation {
  if (outcome.outcome === 'unknown') return lostSituation(presented);
  if (outcome.outcome === 'refused') return outcome.revoked ? 'gone' : 'client_refused';
  return outcome.outcome;
}

export const lostSituation = (presented: number): Situation => (presented > 1 ? 'lost_again' : 'lost');

export const decide = (capabilities: Capabilities, situation: Situation): Decision =>
  RENEWAL_TABLE[providerKind(capabilities)][situation];

/**
 * For an account with a client of its own. A rejection may be a mistake at the provider that somebody mends, so it counts only
 * when there is no token left to use.
 */
export const decideForClient = (situation: Situation, has_ended: boolean): Decision => {
  if (situation === 'granted') return 'active';
  return has_ended && (situation === 'gone' || situation === 'client_refused') ? 'needs_reauth' : 'retry';
};
