// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A run's input. Secret values are masked.
 */
export interface RunInput {
  run_id: string;
  /**
   * The content of `$SVC_INPUT_FILE`: `input` is the submitted input.
   */
  envelope: {
    type: string;
    [k: string]: unknown;
  };
}
