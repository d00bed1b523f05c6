// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * The run that was accepted, or on a repeat of its idempotency key the first one.
 */
export interface SubmittedRun {
  /**
   * Opaque, ordered by time.
   */
  run_id: string;
  /**
   * `succeeded`, `failed` and `cancelled` are final.
   */
  status?: 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled';
  /**
   * Page of the run; only when the server has a public URL.
   */
  run_url?: string;
  /**
   * True when the key was used before; no second run was made.
   */
  duplicate?: boolean;
  /**
   * True when the repeat carries another document, input, `env`, credentials, tags or subject than the first.
   */
  source_differs?: boolean;
}
