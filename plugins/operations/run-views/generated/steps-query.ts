// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface StepsQuery {
  /**
   * For runs that have nodes: a node (`ship`) or, with `calls`, a node or an item (`ship[0]`). Only the items of this node are returned or, with `calls`, the durable calls of its last attempt.
   */
  node?: string;
  /**
   * `true` returns only nodes or items in progress.
   */
  open?: 'true' | 'false';
  /**
   * `true` returns nodes with their outputs. Calls always include their outputs.
   */
  output?: 'true' | 'false';
  /**
   * `true` returns the durable calls of the activities, even in runs that have nodes.
   */
  calls?: 'true' | 'false';
  limit?: number;
  /**
   * `next_cursor` of the previous page.
   */
  cursor?: string;
}
