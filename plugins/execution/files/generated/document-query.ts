// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface DocumentQuery {
  /**
   * The kind of document.
   */
  kind: 'handlers' | 'schedules' | 'webhooks';
  /**
   * The name of the document.
   */
  name: string;
}
