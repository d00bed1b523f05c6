import { MAX_IN_FLIGHT, MAX_UNTRUSTED } from './ceilings.ts';

/** Unfinished handler runs of a project. */
export interface Load {
  all: number;
  untrusted: number;
}

/** How many more runs may start, and how many of these may be untrusted. */
export interface Room {
  all: number;
  untrusted: number;
}

/**
 * The places that runs take. Runs that wake may be more than there are places; untrusted ones never take more than theirs,
 * or strangers could stop the events of a project by waking together.
 */
export const placesTaken = ({ all, untrusted }: Load): number => all - Math.max(0, untrusted - MAX_UNTRUSTED);

export function roomBeside(load: Load): Room {
  const free = Math.max(0, MAX_IN_FLIGHT - placesTaken(load));
  return { all: free, untrusted: Math.max(0, Math.min(free, MAX_UNTRUSTED - load.untrusted)) };
}

/** Whether a run has a place. */
export const hasPlace = (room: Room, trusted: boolean): boolean => (trusted ? room.all : room.untrusted) > 0;

export const withRuns = ({ all, untrusted }: Load, trusted: boolean, runs: number): Load => ({
  all: all + runs,
  untrusted: untrusted + (trusted ? 0 : runs),
});

export const afterStart = ({ all, untrusted }: Room, trusted: boolean): Room => ({
  all: all - 1,
  untrusted: Math.min(untrusted - (trusted ? 0 : 1), all - 1),
});

/** How many of the runs that an event would start do not wait for a place of untrusted runs. */
export const startingNow = ({ untrusted }: Load, trusted: boolean, starts: number): number =>
  trusted ? starts : Math.min(starts, Math.max(0, MAX_UNTRUSTED - untrusted));

/** What a delivery waits for when there is no place. */
export const waitingReason = (room: Room): string =>
  room.all <= 0
    ? `${MAX_IN_FLIGHT} handler runs are in flight`
    : `${MAX_UNTRUSTED} untrusted handler runs are in flight`;
