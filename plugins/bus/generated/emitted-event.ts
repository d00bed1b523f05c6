// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * Answer of an emit.
 */
export interface EmittedEvent {
  /**
   * Id of the event, `evt_…`.
   */
  event: string;
  /**
   * Present when the key was used before: this is the first event.
   */
  duplicate?: true;
  /**
   * Present when the repeat carries another type, key or payload than the first; what it carries is not recorded.
   */
  event_differs?: true;
}
