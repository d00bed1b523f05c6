// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A version of a stored graph, without its document.
 */
export interface GraphVersion {
  version_number: number;
  published: boolean;
  set_by?: string;
  set_at: string;
}
