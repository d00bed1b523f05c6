// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * What a replay would deliver. Predicates are not evaluated.
 */
export interface ReplayPreview {
  /**
   * The number of deliveries, counted up to the limit.
   */
  deliveries: number;
  /**
   * False: there are more, or only the first 20,000 events were read.
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
