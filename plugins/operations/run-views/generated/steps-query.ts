// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface StepsQuery {
  /**
   * In runs that have nodes: the items of this node (`ship`) or, with `calls`, the durable calls in the last attempt of this node or item (`ship[0]`).
   */
  node?: string;
  /**
   * `true`: only nodes or items in progress.
   */
  open?: 'true' | 'false';
  /**
   * `true`: nodes with their outputs. Calls always have them.
   */
  output?: 'true' | 'false';
  /**
   * `true`: the durable calls of the activities, also in runs that have nodes.
   */
  calls?: 'true' | 'false';
  limit?: number;
  /**
   * `next_cursor` of the previous page.
   */
  cursor?: string;
}
