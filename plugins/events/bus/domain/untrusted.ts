import type { PendingEvent } from '../contract.ts';

/**
 * True for events emitted by an untrusted run: nobody vouches for whoever chose their type, key and payload. Events
 * of forges and hooks, and the service's own lifecycle events, are trustworthy whoever caused them.
 */
export const isFromUntrustedRun = ({ source, trusted }: Pick<PendingEvent, 'source' | 'trusted'>): boolean =>
  source === 'emit' && !trusted;

/** Recorded as the reason when a trusted run did not opt in to events from untrusted runs. */
export const UNTRUSTED = 'untrusted';

/** The same reason, worded for whoever inspects a wait that no event ended. */
export const UNTRUSTED_MISS = 'an untrusted run emitted it, and the wait does not accept events from untrusted runs';
