// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * All query parameters are accepted. They become part of the event, except the secret.
 */
export interface IngestQuery {
  /**
   * The shared token, if the sender cannot set a header; prefer X-Svc-Hook-Secret, because addresses end up in logs.
   */
  secret?: string;
  [k: string]: string | undefined;
}
