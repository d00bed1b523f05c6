// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * Any query is taken: it becomes a part of the event, without the secret.
 */
export interface IngestQuery {
  /**
   * The shared token, where no header can be set; better in X-Svc-Hook-Secret, for addresses end up in logs.
   */
  secret?: string;
  [k: string]: string | undefined;
}
