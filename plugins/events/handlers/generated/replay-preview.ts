// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * The deliveries that a replay would make. Predicates are not evaluated.
 */
export interface ReplayPreview {
  /**
   * The number of deliveries, counted up to the limit.
   */
  deliveries: number;
  /**
   * False if there are more, or if only the first 20,000 events were read.
   */
  complete: boolean;
  /**
   * The first 20 of them.
   */
  first: {
    event: string;
    handler: string;
  }[];
}
