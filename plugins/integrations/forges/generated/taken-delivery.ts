// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface TakenDelivery {
  event_id: string;
  event_type: string;
  /**
   * True if svc has already received this delivery: this is its event.
   */
  duplicate?: boolean;
}
