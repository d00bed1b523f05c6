// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A run or an event in a chain of causes and effects.
 */
export interface ChainLink {
  /**
   * The depth of the link, starting at 1 for direct links. Its parent is the nearest link above it with a smaller depth.
   */
  depth: number;
  /**
   * How this link follows from the previous one. An event can have started, woken or cancelled a run. A run can have emitted an event, called or spawned a run, or been rerun.
   */
  relation: 'started' | 'woke' | 'cancelled' | 'emitted' | 'called' | 'rerun';
  kind: 'run' | 'event';
  id: string;
  /**
   * The run's workflow or the event's type; absent if it is no longer stored.
   */
  name?: string;
  status?: 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled';
  /**
   * When it was created or recorded.
   */
  at?: string;
}
