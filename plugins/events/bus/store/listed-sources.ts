import { EVENT_SOURCES, type EventSource } from '../contract/event-sources.ts';

/** Sources whose events have types that only the service may emit, so that these events are found by type. */
const RESERVED_TYPES: Partial<Record<EventSource, readonly string[]>> = {
  lifecycle: ['run.started', 'run.succeeded', 'run.failed', 'run.cancelled'],
  manual: ['manual'],
  spawn: ['spawn'],
};

/** Returns the sources that remain when some are excluded. */
export const sourcesBut = (excluded: readonly EventSource[]): EventSource[] =>
  EVENT_SOURCES.filter((source) => !excluded.includes(source));

/** The condition of SQLite's partial index on sources. A statement must repeat it literally to use the index. */
export const SOURCE_INDEX_CONDITION = `source NOT IN ('lifecycle', 'manual', 'spawn')`;

/** Returns undefined for a source that the index on sources covers. */
export const typesOfSource = (source: EventSource): readonly string[] | undefined => RESERVED_TYPES[source];
