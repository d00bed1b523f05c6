import { MAX_IN_FLIGHT, MAX_UNTRUSTED } from './ceilings.ts';

/** The handler runs of a project that are in flight. */
export interface Load {
  all: number;
  untrusted: number;
  /** Untrusted runs that are waiting, counted only up to the limit that matters. */
  parked: number;
}

/** How many more runs may start, and how many of these may be untrusted. */
export interface Capacity {
  all: number;
  untrusted: number;
  /** The limit on unfinished untrusted runs, set when it is reached; waiting runs count towards it. */
  untrusted_limit?: number;
}

/**
 * Returns the number of slots in use. More runs may be in flight than there are slots, because waiting runs resume
 * without one. Untrusted runs never use more than their share, or strangers could stop a project's events by resuming
 * many at once.
 */
export const usedSlots = ({ all, untrusted }: Pick<Load, 'all' | 'untrusted'>): number =>
  all - Math.max(0, untrusted - MAX_UNTRUSTED);

/**
 * Returns how many untrusted runs may start. Waiting runs use no slot and would be unbounded, so at most `most` may
 * be unfinished at once.
 */
const untrustedCapacity = ({ untrusted, parked }: Load, max_untrusted: number): number =>
  Math.max(0, Math.min(MAX_UNTRUSTED - untrusted, max_untrusted - untrusted - parked));

/** Returns the remaining capacity. `most` limits the unfinished untrusted runs. */
export function remainingCapacity(load: Load, max_untrusted: number): Capacity {
  const free_slots = Math.max(0, MAX_IN_FLIGHT - usedSlots(load));
  const capacity = { all: free_slots, untrusted: Math.min(free_slots, untrustedCapacity(load, max_untrusted)) };
  return load.untrusted + load.parked < max_untrusted ? capacity : { ...capacity, untrusted_limit: max_untrusted };
}

export const hasSlot = (capacity: Capacity, trusted: boolean): boolean =>
  (trusted ? capacity.all : capacity.untrusted) > 0;

export const addRuns = ({ all, untrusted, parked }: Load, trusted: boolean, runs: number): Load => ({
  parked,
  all: all + runs,
  untrusted: untrusted + (trusted ? 0 : runs),
});

export const reserveSlot = ({ all, untrusted }: Capacity, trusted: boolean): Capacity => ({
  all: all - 1,
  untrusted: Math.min(untrusted - (trusted ? 0 : 1), all - 1),
});

/** Returns how many of the runs that an event would start need not wait for a slot of untrusted runs. */
export const countImmediateStarts = (load: Load, max_untrusted: number, trusted: boolean, starts: number): number =>
  trusted ? starts : Math.min(starts, untrustedCapacity(load, max_untrusted));

/** Names the limit that holds a delivery back. It is stored with the delivery, so it says nothing about the other runs. */
export function waitingReason({ all, untrusted_limit }: Capacity): string {
  if (all <= 0) return `a project can have at most ${MAX_IN_FLIGHT} handler runs in flight`;
  return untrusted_limit === undefined
    ? `a project can have at most ${MAX_UNTRUSTED} untrusted handler runs in flight`
    : `a project can have at most ${untrusted_limit} untrusted handler runs open, including those that wait (SVC_UNTRUSTED_PROJECT_LIMITS)`;
}
