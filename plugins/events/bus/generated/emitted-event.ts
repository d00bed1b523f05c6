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
   * True if the idempotency key was used before. The response then describes the first event.
   */
  duplicate?: true;
  /**
   * Present if this request differs from the first one with this idempotency key in its type, key or payload. Only the first one is recorded.
   */
  event_differs?: true;
}
