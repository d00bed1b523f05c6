import type { EventSource } from '../contract.ts';

/** Sources whose events have types of their own, which only the service may emit: these events are found by their types. */
const TYPES: Partial<Record<EventSource, readonly string[]>> = {
  lifecycle: ['run.started', 'run.succeeded', 'run.failed', 'run.cancelled'],
  manual: ['manual'],
  spawn: ['spawn'],
};

/** What SQLite's index of sources holds. A statement that is to use it says so in these words. */
export const NOT_BY_TYPE = `source NOT IN ('lifecycle', 'manual', 'spawn')`;

/** Undefined for a source that the index of sources holds. */
export const typesOfSource = (source: EventSource): readonly string[] | undefined => TYPES[source];
