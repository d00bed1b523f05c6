import type { Json } from '../../runs/contract.ts';

/** A need of a node: another node, and perhaps a case of its outcome. */
export interface FlowEdge {
  node: string;
  /** Met only when that node's case is this one, or one of these: `true` or `false` of a condition, cases of a switch. */
  when?: FlowCase | readonly FlowCase[];
}

export type FlowCase = boolean | string;

export interface FlowNode {
  /** Unique within the plan; expressions use it as a name. */
  id: string;
  /** One of `FlowNodes`: what the node does. */
  type: string;
  /** The type that its author wrote, for lists; absent: `type`. */
  shown_type?: string;
  /**
   * It does a part of the work of this node, or of the whole run: its author did not write it, and lists show that node in its place.
   */
  part_of?: { node: string; type: string } | 'run';
  config?: Json;
  /** A need is met when its node succeeded, or failed with `continue_on_error`. */
  needs?: readonly (string | FlowEdge)[];
  /**
   * With `all` (the default), every need must be met. With `any`, one of them must be, once all are decided. Otherwise
   * the node is skipped.
   */
  join?: 'all' | 'any';
  /**
   * The condition, which is evaluated after the needs are decided; false skips the node. With `always`, it is evaluated
   * even when the needs are not met.
   */
  if?: { text: string; always?: boolean };
  /** Runs the node once for each item. Its output is the list of the items' outputs. */
  fan_out?: {
    /** An expression for a list, the list itself, or a config from which the language makes the list. */
    items: string | readonly Json[] | { config: Json };
    /** True when the items are objects whose members identify them. Lists then name an item by its members. */
    named?: boolean;
    /** Items in progress at a time; absent: 16. */
    concurrency?: number;
    /** Fails with more items than this; absent: 50,000. */
    max_items?: number;
    /** Continue with other items when one fails; the node fails after all have ended. */
    finish_all?: boolean;
  };
  /** `attempts` includes the first one. */
  retry?: { attempts: number; backoff_ms?: number };
  /**
   * The limit of each attempt from its begin, including its time in the queue. A wait with a shorter timeout ends
   * earlier.
   */
  timeout_ms?: number;
  /**
   * A failure is data: needs on the node are met. For a fan-out it applies to each item; a failed item's output is
   * null.
   */
  continue_on_error?: boolean;
  /**
   * Replaces the default idempotency key and is rendered like the config. An item has a key of its own only when this
   * names it. At most 180 characters.
   */
  key?: Json;
  /**
   * What the node did ends with its run, as a lease does: a rerun from a node does it again before the nodes that it
   * guards, which are those that need it, or all.
   */
  guards?: 'next' | 'all';
  /**
   * Nodes whose results the expressions, the config and the key read. By default, the needs whose ids occur in them as
   * words.
   */
  reads?: readonly string[];
}

/** What a run of a flow does, as pure data. It names the language of its expressions. */
export interface FlowPlan {
  /** One of `FlowLanguages`. */
  language: string;
  nodes: readonly FlowNode[];
  /** Values for every expression: variables and the like. */
  constants?: Json;
  /**
   * What follows a failure without `continue_on_error`: `stop` (the default) cancels what is in progress and ends the
   * run; `finish` skips the nodes that need the failed one, completes the others, and then ends the run. Both end as
   * failed.
   */
  on_failure?: 'stop' | 'finish';
  /**
   * The output of the run; null when undefined. With `merged`, it is the merged members of a list of objects, where
   * later ones win; null for an empty list.
   */
  output?: { text: string; reads?: readonly string[]; merged?: boolean };
}
