// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * What a run was given. Secret values are masked.
 */
export interface RunInput {
  run_id: string;
  /**
   * The content of `$SVC_INPUT_FILE`: `input` holds what a submit gave.
   */
  envelope: {
    type: string;
    [k: string]: unknown;
  };
}
