// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A type of event that a project knows.
 */
export interface EventType {
  type: string;
  /**
   * The service emits it; something of the project says that it will; it was seen on the bus.
   */
  source: 'platform' | 'declared' | 'seen';
  /**
   * The payload of the last event of the type, cut short.
   */
  sample?: null | boolean | number | string | unknown[] | {};
  last_seen?: string;
}
