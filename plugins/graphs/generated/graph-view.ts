// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

import type {Registered} from './registered.ts';

/**
 * One version of a stored graph.
 */
export interface GraphView {
  name: string;
  /**
   * Of the document.
   */
  version_number: number;
  latest_version: number;
  /**
   * Absent: it is not published.
   */
  published_version?: number;
  /**
   * What its published version has registered.
   */
  triggers?: Registered[];
  /**
   * The graph, as it was saved.
   */
  document: {
    [k: string]: unknown;
  };
  /**
   * Id of who saved this version.
   */
  set_by?: string;
  set_at: string;
}
