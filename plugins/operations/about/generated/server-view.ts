// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface ServerView {
  version: string;
  role: string;
  node: string;
  store: 'sqlite' | 'mysql';
  /**
   * How servers that share a database find each other's work.
   */
  wake_ups: 'nats' | 'polling';
  lease_ms: number;
  public_url?: string;
  /**
   * SVC_RETENTION; by default, everything is kept.
   */
  retention?: string;
  /**
   * SVC_RATE_LIMIT; absent if the default limits apply.
   */
  rate_limit?: string;
}
