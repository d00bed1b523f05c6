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
   * Absent if it is not published.
   */
  published_version?: number;
  /**
   * Trigger types of its published version, such as `trigger.webhook`. Absent if it is not published.
   */
  triggers?: string[];
  title?: string;
  nodes: number;
  /**
   * ID of the user who saved it last.
   */
  set_by?: string;
  created_at: string;
  set_at: string;
}
