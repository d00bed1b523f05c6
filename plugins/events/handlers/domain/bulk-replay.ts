import { matchesPattern } from '../contract/event-pattern.ts';

/** Which events a replay delivers again, and to which handlers. Times are epoch ms. */
export interface ReplayFilter {
  /** A type, or a prefix that ends in `*`. */
  type?: string | undefined;
  /** Only this handler. Without it, every handler whose patterns match the type. */
  handler?: string | undefined;
  /** Only dead letters. */
  failed?: true | undefined;
  /** Whether predicates are ignored. */
  force?: true | undefined;
  since?: number | undefined;
  until?: number | undefined;
}

export type ReplayState = 'running' | 'done' | 'cancelled';

/** A replay of many events. Times are epoch ms. */
export interface BulkReplay {
  replay_id: string;
  org_id: string;
  project_id: string;
  state: ReplayState;
  filter: ReplayFilter;
  requested_by: string;
  before_seq: number;
  most: number;
  position: string;
  delivered: number;
  declined: number;
  refused: number;
  created_at: number;
  updated_at: number;
}

/** Replays of a project that can run at the same time. */
export const MAX_RUNNING = 4;
/** Finished replays of a project that are listed. */
export const MAX_FINISHED = 100;
/** The number of deliveries of a replay that names none. */
export const DEFAULT_DELIVERIES = 1000;
/** Slots that a bulk replay leaves to new events. */
export const RESERVED_SLOTS = 8;

/** The type that selects events through the index; undefined for a prefix. */
export const exactType = ({ type }: ReplayFilter): string | undefined =>
  type === undefined || type.endsWith('*') ? undefined : type;

export const matchesType = ({ type }: ReplayFilter, of: string): boolean =>
  type === undefined || matchesPattern(type, of);

/** Writes the position of a delivery of an event. */
export const formatPosition = (seq: number, name: string): string => `${seq}/${name}`;

export function parsePosition(position: string): { seq: number; name: string } {
  const slash = position.indexOf('/');
  return { seq: Number(position.slice(0, slash)), name: position.slice(slash + 1) };
}

/** How many deliveries a replay has handled. */
export const countHandled = ({ delivered, declined, refused }: BulkReplay): number => delivered + declined + refused;
