// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A workflow of nodes that depend on each other. A value in a config can be `{"$expr": "<CEL>"}`.
 */
export interface GraphDocument {
  version: 'svc-graph/v1';
  /**
   * For people.
   */
  title?: string;
  /**
   * For readers, in Markdown.
   */
  description?: string;
  /**
   * @minItems 1
   * @maxItems 5000
   */
  nodes: [GraphNode, ...GraphNode[]];
  /**
   * By default, all nodes start at once.
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
   * Set only in the graphs that run the items of an `each` node: the run's input is `{item, index, input}`, and expressions use these names. A saved graph cannot have it.
   */
  for_item?: true;
  /**
   * After a node without `continue_on_error` fails: `stop` (the default) cancels everything and ends the run; `finish` first runs everything that does not depend on the failed node. The run fails in both cases.
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
         * An expression: the limit applies to each value separately. The lock is then `<group>/<value>`.
         */
        key?: string;
        /**
         * How many runs can proceed at once. The holders' lowest limit applies. Default: 1, or 1,000 with a `throttle`.
         */
        limit?: number;
        /**
         * `queue` (the default) waits for its turn; `cancel-pending` cancels the earlier runs that wait; `cancel-running` cancels these and as many running ones as needed to make room.
         */
        policy?: 'queue' | 'cancel-pending' | 'cancel-running';
        /**
         * How many runs start in any period of this length; the others wait.
         */
        throttle?: {
          /**
           * How many.
           */
          limit: number;
          /**
           * A duration from `1s` to `7d`, such as `1m`.
           */
          period: string;
        };
      };
  /**
   * Event types that cancel a run until it ends.
   *
   * @maxItems 32
   */
  cancel_on?: string[];
  /**
   * Tags of every run, in addition to those set by the submission.
   *
   * @maxItems 64
   */
  tags?: string[];
  /**
   * Subject for runs whose submit or trigger sets none.
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
   * In a fan_out or an each, it applies to each item.
   */
  retry?: {
    /**
     * Maximum number of attempts, including the first one.
     */
    attempts: number;
    /**
     * The pause between two attempts: `5s`. Default none.
     */
    backoff?: string;
  };
  /**
   * Applies to each attempt, including its time in the queue: `10m`.
   */
  timeout?: string;
  /**
   * If true, a failure is data, and the nodes after it run. In a fan_out or an each, it applies to each item.
   */
  continue_on_error?: boolean;
  /**
   * Whether all its edges must be met, or only one. Default `all`; `any` if several edges come from triggers.
   */
  join?: 'all' | 'any';
  /**
   * Replaces the key that is derived from run, node and item. `{{ }}` and `$expr` are evaluated.
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
   * The edge is met only in this case: `true` or `false` of a condition, one of a switch's cases, or `default`.
   */
  when?: boolean | string;
}
