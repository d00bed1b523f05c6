// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * The accepted run, or the first run for a repeated idempotency key.
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
   * Address of the run's page; only if the server has a public URL.
   */
  run_url?: string;
  /**
   * True if the key was used before; no second run was started.
   */
  duplicate?: boolean;
  /**
   * True if this request differs from the first one with this key in its document, input, `env`, credentials, tags or subject.
   */
  source_differs?: boolean;
}
