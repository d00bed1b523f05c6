import { MAX_IN_FLIGHT, MAX_UNTRUSTED } from './ceilings.ts';

/** Handler runs of a project that are in flight. */
export interface Load {
  all: number;
  untrusted: number;
  /** Untrusted ones that are not over and not in flight, as far as that matters. */
  parked: number;
}

/** How many more runs may start, and how many of these may be untrusted. */
export interface Room {
  all: number;
  untrusted: number;
  /** So many untrusted ones are not over, and there may be no more of them, whether they wait or not. */
  crowded?: number;
}

/**
 * The places that runs take. Runs that wake may be more than there are places; untrusted ones never take more than theirs,
 * or strangers could stop the events of a project by waking together.
 */
export const placesTaken = ({ all, untrusted }: Pick<Load, 'all' | 'untrusted'>): number =>
  all - Math.max(0, untrusted - MAX_UNTRUSTED);

/**
 * How many untrusted ones may begin. A stranger's runs that wait take no place, and would be without number: so `most` may be
 * open at once.
 */
const untrustedRoom = ({ untrusted, parked }: Load, most: number): number =>
  Math.max(0, Math.min(MAX_UNTRUSTED - untrusted, most - untrusted - parked));

/** `most`: of the untrusted ones that are not over. */
export function roomBeside(load: Load, most: number): Room {
  const free = Math.max(0, MAX_IN_FLIGHT - placesTaken(load));
  const room = { all: free, untrusted: Math.min(free, untrustedRoom(load, most)) };
  return load.untrusted + load.parked < most ? room : { ...room, crowded: most };
}

/** Whether a run has a place. */
export const hasPlace = (room: Room, trusted: boolean): boolean => (trusted ? room.all : room.untrusted) > 0;

export const withRuns = ({ all, untrusted, parked }: Load, trusted: boolean, runs: number): Load => ({
  parked,
  all: all + runs,
  untrusted: untrusted + (trusted ? 0 : runs),
});

export const afterStart = ({ all, untrusted }: Room, trusted: boolean): Room => ({
  all: all - 1,
  untrusted: Math.min(untrusted - (trusted ? 0 : 1), all - 1),
});

/** How many of the runs that an event would start do not wait for a place of untrusted runs. */
export const startingNow = (load: Load, most: number, trusted: boolean, starts: number): number =>
  trusted ? starts : Math.min(starts, untrustedRoom(load, most));

/** What a delivery waits for when there is no place. */
export function waitingReason({ all, crowded }: Room): string {
  if (all <= 0) return `${MAX_IN_FLIGHT} handler runs are in flight`;
  return crowded === undefined
    ? `${MAX_UNTRUSTED} untrusted handler runs are in flight`
    : `${crowded} untrusted handler runs are not over, those that wait included (SVC_UNTRUSTED_PROJECT_LIMITS)`;
}
