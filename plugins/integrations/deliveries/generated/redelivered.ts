// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * The new event of a redelivery.
 */
export interface Redelivered {
  /**
   * ID of the redelivery in the list, `dlv_…`.
   */
  delivery: string;
  event: string;
  event_type: string;
  /**
   * The delivery whose body it has.
   */
  redelivery_of: string;
  /**
   * The idempotency key was used before: this is the first event.
   */
  duplicate?: boolean;
}
