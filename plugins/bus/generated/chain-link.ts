// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A run or an event in a chain of what led to what.
 */
export interface ChainLink {
  /**
   * 1 for what is next to the beginning; a link belongs to the nearest one above it with a smaller depth.
   */
  depth: number;
  /**
   * Between this link and the one before: an event started, woke or cancelled a run, a run emitted an event, called or spawned a run, or was run again.
   */
  relation: 'started' | 'woke' | 'cancelled' | 'emitted' | 'called' | 'rerun';
  kind: 'run' | 'event';
  id: string;
  /**
   * The workflow of the run, the type of the event; absent when it is not kept any more.
   */
  name?: string;
  status?: 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled';
  /**
   * When it was created or recorded.
   */
  at?: string;
}
