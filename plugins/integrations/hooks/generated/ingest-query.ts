// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * Any query is accepted: it becomes part of the event, without the secret.
 */
export interface IngestQuery {
  /**
   * The shared token, if the sender cannot set a header; prefer X-Svc-Hook-Secret, because addresses end up in logs.
   */
  secret?: string;
  [k: string]: string | undefined;
}
