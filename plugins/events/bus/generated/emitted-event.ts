// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * The response to an emit.
 */
export interface EmittedEvent {
  /**
   * ID of the event, `evt_…`.
   */
  event: string;
  /**
   * True if the key was used before: this is the first event.
   */
  duplicate?: true;
  /**
   * Present if the repeat differs from the first in its type, key or payload; its content is not recorded.
   */
  event_differs?: true;
}
