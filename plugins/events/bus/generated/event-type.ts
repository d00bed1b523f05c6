// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * An event type of a project.
 */
export interface EventType {
  type: string;
  /**
   * The service emits it; something in the project declares it; it was seen on the bus.
   */
  source: 'platform' | 'declared' | 'seen';
  /**
   * The payload of the last event of this type, shortened.
   */
  sample?: null | boolean | number | string | unknown[] | {};
  last_seen?: string;
}
