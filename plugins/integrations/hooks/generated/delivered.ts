// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface Delivered {
  event_id: string;
  event_type: string;
}
