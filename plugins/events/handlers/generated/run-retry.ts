// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * The pending retry of a handler's failed run. Without `retry`, there is none.
 */
export interface RunRetry {
  retry?: {
    handler: string;
    /**
     * ID of the event that started the run.
     */
    event: string;
    /**
     * 1 for the first retry.
     */
    attempt: number;
    /**
     * How many retries the handler allows.
     */
    limit?: number;
    /**
     * When it starts. It starts later if the handler has no free slot then.
     */
    at: string;
  };
}
