// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface TakenDelivery {
  event_id: string;
  event_type: string;
  /**
   * True if svc had already received this delivery. `event_id` and `event_type` then describe the event recorded the first time.
   */
  duplicate?: boolean;
}
