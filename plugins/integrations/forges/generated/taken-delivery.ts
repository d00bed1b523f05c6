// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface TakenDelivery {
  event_id: string;
  event_type: string;
  /**
   * True if the delivery was seen before: this is its event.
   */
  duplicate?: boolean;
}
