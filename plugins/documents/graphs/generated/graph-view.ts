// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

import type {Registered} from './registered.ts';

/**
 * One version of a stored graph.
 */
export interface GraphView {
  name: string;
  /**
   * The version of the document.
   */
  version_number: number;
  latest_version: number;
  /**
   * Absent: it is not published.
   */
  published_version?: number;
  /**
   * The resources that its published version has registered.
   */
  triggers?: Registered[];
  /**
   * The saved graph.
   */
  document: {
    [k: string]: unknown;
  };
  /**
   * ID of the user who saved this version.
   */
  set_by?: string;
  set_at: string;
}
