// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A workflow of nodes that depend on each other. A value in a config can be `{"$expr": "<CEL>"}`.
 */
export interface GraphDocument {
  version: 'svc-graph/v1';
  /**
   * The name that people see.
   */
  title?: string;
  /**
   * What the graph does, in Markdown.
   */
  description?: string;
  /**
   * @minItems 1
   * @maxItems 5000
   */
  nodes: [GraphNode, ...GraphNode[]];
  /**
   * The order of the nodes. Without edges, all nodes start at once.
   *
   * @maxItems 50000
   */
  edges?: GraphEdge[];
  /**
   * The inputs that the graph takes: fields with their types, such as `"replicas": "integer = 1"`, or a JSON Schema. Expressions read them as `inputs.<name>`.
   */
  inputs?: {} | string;
  /**
   * The run's output: `{"$expr": …}`, or JSON with such values. Default: the output of the graph's last node; if there are several, an object with their outputs by ID.
   */
  output?: {} | unknown[];
  /**
   * Set only in graphs that run the items of an `each` node. The run's input is then `{item, index, input}`, and expressions use these names. A saved graph cannot contain this member.
   */
  for_item?: true;
  /**
   * What happens when a node without `continue_on_error` fails. `stop` (the default) cancels everything and ends the run. `finish` first runs everything that does not depend on the failed node. With either value, the run fails.
   */
  on_failure?: 'stop' | 'finish';
  /**
   * Limits how many runs of a group can proceed at a time, with the same leases as `svc lock`. A run is queued until its turn, and holds the lease until it ends.
   */
  concurrency?:
    | string
    | {
        /**
         * Name of the lock.
         */
        group: string | {};
        /**
         * An expression. The limit applies to each of its values separately. The lock is then `<group>/<value>`.
         */
        key?: string;
        /**
         * How many runs can proceed at once. If the holders' limits differ, the lowest one applies. Default: 1, or 1,000 with a `throttle`.
         */
        limit?: number;
        /**
         * `queue` (the default): the run waits for its turn. `cancel-pending`: cancels earlier runs that are waiting. `cancel-running`: cancels those, and as many running ones as needed to make room.
         */
        policy?: 'queue' | 'cancel-pending' | 'cancel-running';
        /**
         * At most `limit` runs start in any period of length `period`. The others wait.
         */
        throttle?: {
          /**
           * The maximum number of starts in a period.
           */
          limit: number;
          /**
           * A duration from `1s` to `7d`, such as `1m`.
           */
          period: string;
        };
      };
  /**
   * Event types that cancel a run while it is open.
   *
   * @maxItems 32
   */
  cancel_on?: string[];
  /**
   * Tags for every run, in addition to those that the submission sets.
   *
   * @maxItems 64
   */
  tags?: string[];
  /**
   * The subject of a run, unless its submission or trigger sets one.
   */
  subject?: string;
}
export interface GraphNode {
  /**
   * Letters, digits, `_` and `-`, beginning with a letter; unique in the graph. `graph.<graph>.<id>.` must be shorter than 64 characters.
   */
  id: string;
  /**
   * The node type: `http`, `set`, `team_chat.post_message`…
   */
  type: string;
  /**
   * Depends on the type.
   */
  config?: {
    [k: string]: unknown;
  };
  /**
   * In a `fan_out` or `each` node, this applies to each item.
   */
  retry?: {
    /**
     * Maximum number of attempts, including the first one.
     */
    attempts: number;
    /**
     * The delay between two attempts, such as `5s`. Default: none.
     */
    backoff?: string;
  };
  /**
   * The time limit for each attempt, including its time in the queue, such as `10m`.
   */
  timeout?: string;
  /**
   * If true, a failure is treated as data, and the nodes after this one still run. In a `fan_out` or `each` node, this applies to each item.
   */
  continue_on_error?: boolean;
  /**
   * Whether all incoming edges must be met, or only one. Default: `all`, or `any` if several edges come from triggers.
   */
  join?: 'all' | 'any';
  /**
   * Replaces the key that is derived from the run, the node and the item. `{{ }}` and `$expr` are evaluated.
   */
  idempotency_key?: string | {};
  title?: string;
  description?: string;
  /**
   * The position on a canvas.
   */
  position?: {
    x: number;
    y: number;
  };
}
export interface GraphEdge {
  /**
   * A node's ID.
   */
  from: string;
  /**
   * ID of the node that starts afterwards.
   */
  to: string;
  /**
   * The result that meets the edge: `true` or `false` for a condition; a case or `default` for a switch.
   */
  when?: boolean | string;
}
