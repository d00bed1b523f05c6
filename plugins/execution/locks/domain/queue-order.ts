/** How many holders a group can have at most. */
export const MAX_HOLDERS = 1000;

/** How many holders a request shares its group with, itself included. A throttle without a limit limits no holders. */
export const limitOf = ({ limit, throttle }: { limit?: number | undefined; throttle?: unknown }): number =>
  limit ?? (throttle === undefined ? 1 : MAX_HOLDERS);

/**
 * How many earlier tickets of one level less a ticket passes. Tickets draw their numbers in order, so that each ticket is
 * passed by at most this many for each level between them, however many come later.
 */
export const TICKETS_PASSED_PER_LEVEL = 100;

/** The number that orders a queue, the lowest first. */
export const queuePosition = (ticket: number, priority: number): number => ticket - priority * TICKETS_PASSED_PER_LEVEL;

interface QueueEntry {
  ticket: number;
  queue_position: number | null;
}

/** In the order of grants. */
export const byQueuePosition = (a: QueueEntry, b: QueueEntry): number =>
  (a.queue_position ?? a.ticket) - (b.queue_position ?? b.ticket) || a.ticket - b.ticket;

/**
 * Whether a ticket may join the holders of its group: neither they nor the ticket may share it with more holders than they
 * asked for. So callers that name different limits never have more holders beside them than they expect.
 */
export function hasCapacity(holders: readonly { max_holders: number | null }[], limit: number): boolean {
  return holders.every(({ max_holders }) => holders.length < (max_holders ?? 1)) && holders.length < limit;
}

/** The lowest number that no holder has. */
export function lowestFreeNumber(holders: readonly { held: number | null }[]): number {
  const used = new Set(holders.map(({ held }) => held));
  let number = 1;
  while (used.has(number)) number += 1;
  return number;
}
