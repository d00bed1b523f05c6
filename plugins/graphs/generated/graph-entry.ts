// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A stored graph, without its document.
 */
export interface GraphEntry {
  name: string;
  /**
   * The latest.
   */
  version_number: number;
  /**
   * Absent: it is not published.
   */
  published_version?: number;
  /**
   * Types of the triggers that its published version has: `trigger.webhook`. Absent: it is not published.
   */
  triggers?: string[];
  title?: string;
  nodes: number;
  /**
   * Id of who saved it last.
   */
  set_by?: string;
  created_at: string;
  set_at: string;
}
