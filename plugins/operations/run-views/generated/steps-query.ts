// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface StepsQuery {
  /**
   * In runs that have nodes: the items of this node (`ship`) or, with `calls`, the durable calls in the last attempt of this node or item (`ship[0]`).
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
