import type { DeclinedEvent } from './answers.ts';
import { formatAgo } from './eligible-agents.ts';

/** What an event says of itself when a trusted run has not asked for it. */
const UNTRUSTED = 'untrusted';

/** Events of the awaited type that the run declined, the newest first. */
export function describeDeclinedEvents(
  name: string,
  { declined = [], now }: { declined?: readonly DeclinedEvent[]; now: number },
): string[] {
  const own = declined.filter(({ type }) => type === name).slice(0, 3);
  return own.map(({ event, at, reason = 'it did not match' }) => {
    const why =
      reason === UNTRUSTED
        ? 'an untrusted run emitted it, and the wait does not accept events from untrusted runs'
        : reason;
    return `It declined the event ${event}, ${formatAgo(at, now)}: ${why}.`;
  });
}
