import { createHash } from 'node:crypto';
import type { Flow } from './flow.ts';

/** How much later than the delivery before it a delivery of the same key seems to have come, so that keys take turns. */
const KEY_DELAY_MS = 600_000;
const SECOND_MS = 1000;

/**
 * Identifies the deliveries that wait behind each other: those of a handler, with the same key and priority. Untrusted ones are
 * apart, so that they take no turns of trusted ones.
 */
export function fairGroupOf(handler: string, { keys, priority }: Flow, trusted: boolean): string {
  const key = keys.concurrency || keys.throttle || keys.batch || keys.debounce || '';
  const variant = trusted ? '' : '\0untrusted';
  return createHash('sha256').update(`${handler}\0${priority}\0${key}${variant}`).digest('hex').slice(0, 40);
}

/**
 * Returns a delivery's place in the order in which slots are given, as a time: when it came, earlier by its priority, or a turn
 * after the last one of its fair_group. So a high priority goes first, but nothing waits forever. All events of a batch take one
 * turn together, because they start one run.
 */
export function sortTimeOf(
  came_at: number,
  { priority, options: { batch } }: Pick<Flow, 'priority' | 'options'>,
  last: number | undefined,
): number {
  const delay_ms = Math.trunc(KEY_DELAY_MS / (batch?.size ?? 1));
  return Math.max(came_at - priority * SECOND_MS, last === undefined ? Number.NEGATIVE_INFINITY : last + delay_ms);
}
