// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * An event type of a project.
 */
export interface EventType {
  type: string;
  /**
   * The source of the type: the service emits it, something in the project declares it, or the bus has recorded it.
   */
  source: 'platform' | 'declared' | 'seen';
  /**
   * The payload of the last event of this type, shortened.
   */
  sample?: null | boolean | number | string | unknown[] | {};
  last_seen?: string;
}
