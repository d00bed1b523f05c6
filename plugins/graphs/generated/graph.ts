// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A workflow of nodes that need each other. A value in a config may be `{"$expr": "<CEL>"}`.
 */
export interface GraphDocument {
  version: 'svc-graph/v1';
  /**
   * For people.
   */
  title?: string;
  /**
   * For people, in Markdown.
   */
  description?: string;
  /**
   * @minItems 1
   * @maxItems 5000
   */
  nodes: [GraphNode, ...GraphNode[]];
  /**
   * Absent: all nodes begin at once.
   *
   * @maxItems 50000
   */
  edges?: GraphEdge[];
  /**
   * The output of a run: `{"$expr": …}`, or JSON with such values. Absent: the output of the node at which the graph ends; with several such nodes an object with their outputs by id.
   */
  output?: {} | unknown[];
  /**
   * After the failure of a node without `continue_on_error`: `stop` (the default) cancels everything and ends the run; `finish` first does what does not need the failed node. The run fails either way.
   */
  on_failure?: 'stop' | 'finish';
  /**
   * Types of events that cancel a run while it has not ended.
   *
   * @maxItems 32
   */
  cancel_on?: string[];
  /**
   * Tags of every run, in addition to those of the submit.
   *
   * @maxItems 64
   */
  tags?: string[];
  /**
   * Subject of a run whose submit or trigger gives none.
   */
  subject?: string;
}
export interface GraphNode {
  /**
   * Letters, digits, `_` and `-`, beginning with a letter; unique in the graph. `graph.<graph>.<id>.` must leave room for a character in 64.
   */
  id: string;
  /**
   * What it does: `http`, `set`, `team_chat.post_message`…
   */
  type: string;
  /**
   * As the type says.
   */
  config?: {
    [k: string]: unknown;
  };
  /**
   * For a fan_out: of each item.
   */
  retry?: {
    /**
     * All attempts, the first one included.
     */
    attempts: number;
    /**
     * The pause between two attempts: `5s`. Default none.
     */
    backoff?: string;
  };
  /**
   * For each attempt, with its time in the queue: `10m`.
   */
  timeout?: string;
  /**
   * A failure is data: what needs the node runs. For a fan_out: of each item.
   */
  continue_on_error?: boolean;
  /**
   * Whether all its edges must be met, or one of them is enough. Default `all`; `any` where several edges come from triggers.
   */
  join?: 'all' | 'any';
  /**
   * In place of the id of run, node and item. Holes `{{ }}` and `$expr` are evaluated.
   */
  idempotency_key?: string | {};
  title?: string;
  description?: string;
  /**
   * On a canvas.
   */
  position?: {
    x: number;
    y: number;
  };
}
export interface GraphEdge {
  /**
   * Id of a node.
   */
  from: string;
  /**
   * Id of a node that begins after it.
   */
  to: string;
  /**
   * Only for this case of a condition (`true`, `false`) or of a switch (one of its cases, or `default`).
   */
  when?: boolean | string;
}
