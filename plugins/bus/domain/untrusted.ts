import type { PendingEvent } from '../contract.ts';

/**
 * True for what an untrusted run emitted: its type, key and payload are as somebody chose for whom nobody vouches. Forges and
 * hooks say themselves what happened, and so does the service of its runs, whoever caused it.
 */
export const isOfUntrustedRun = ({ source, trusted }: Pick<PendingEvent, 'source' | 'trusted'>): boolean =>
  source === 'emit' && !trusted;

/** The reason of a delivery to a trusted run that did not ask for such events. */
export const UNTRUSTED = 'untrusted';

/** The same for whoever looks at a wait that took none of its events. */
export const UNTRUSTED_MISS = 'an untrusted run emitted it, and the wait does not say that it takes such events';
