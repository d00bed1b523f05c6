import { extensionPoint, token, type Transaction } from '../../kernel/contracts/index.ts';
import type { ArmWait, Completion, CoordinatedNode, Coordination, Json, NodeState, Trigger } from '../runs/contract.ts';

export { flowConfigInvalid } from './contract/errors.ts';

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
   * `all` (the default): every need must be met. `any`: one of them, after all are decided. Otherwise the node is
   * skipped.
   */
  join?: 'all' | 'any';
  /**
   * Evaluated after the needs are decided; false skips the node. With `always` it is evaluated even when the needs are
   * not met.
   */
  if?: { text: string; always?: boolean };
  /** Runs the node once for each item. Its output is the list of the items' outputs. */
  fan_out?: {
    /** An expression for a list, or the list itself. */
    items: string | readonly Json[];
    /** The items are objects by whose members people know them: lists name an item by these. */
    named?: boolean;
    /** Items in progress at a time; absent: 16. */
    concurrency?: number;
    /** Continue with other items when one fails; the node fails after all have ended. */
    finish_all?: boolean;
  };
  /** `attempts` includes the first one. */
  retry?: { attempts: number; backoff_ms?: number };
  /** For each attempt, from its begin, including its time in the queue. A shorter time of a wait ends it before. */
  timeout_ms?: number;
  /**
   * A failure is data: needs on the node are met. For a fan-out it applies to each item; a failed item's output is
   * null.
   */
  continue_on_error?: boolean;
  /**
   * Its idempotency key in place of the usual one, rendered like its config; an item has a key of its own only when this
   * says so. At most 180 characters.
   */
  key?: Json;
  /**
   * What the node did ends with its run, as a lease does: a rerun from a node does it again before the nodes that it
   * guards, which are those that need it, or all.
   */
  guards?: 'next' | 'all';
  /** Nodes whose results its expressions, config and key read. Absent: the needs whose ids occur in them as words. */
  reads?: readonly string[];
}

/** What a run of a flow does, as pure data. Its author names a language for its expressions. */
export interface FlowPlan {
  /** One of `FlowLanguages`. */
  language: string;
  nodes: readonly FlowNode[];
  /** Values for every expression: variables and the like. */
  constants?: Json;
  /**
   * After a failure without `continue_on_error`: `stop` (the default) cancels what is in progress and ends the run;
   * `finish` skips nodes that need the failed one, completes the others, and then ends the run. Both end as failed.
   */
  on_failure?: 'stop' | 'finish';
  /** The output of the run; absent: null. With `merged` the members of a list of objects, the last winning; null without any. */
  output?: { text: string; reads?: readonly string[]; merged?: boolean };
}

export type FlowNodeState = NodeState;

/** What expressions see of a node. */
export interface NodeResult {
  status: FlowNodeState;
  output: Json;
  error: { code: string; message: string } | null;
  case: Json;
}

/** The values from which a scope is made. */
export interface FlowFacts {
  run: { run_id: string; org_id: string; project_id: string; subject: string | null; trigger: Trigger };
  /** The content of a script's input file: `input`, `payload`, `type`… */
  envelope: { type: string; [key: string]: Json };
  constants: Json;
  nodes: Record<string, NodeResult>;
  item?: Json;
  index?: number;
}

/** How the documents of a workflow kind name values. */
export interface FlowLanguage {
  name: string;
  /** The names that an expression may use at its root. */
  roots: readonly string[];
  scope(facts: FlowFacts): Readonly<Record<string, unknown>>;
  /** Renders a config. Absent: configs contain no expressions. `evaluate` throws `flow_expression_failed`. */
  render?(config: Json, evaluate: (expression: string) => Json): Json;
}

export const FlowLanguages = extensionPoint<FlowLanguage>('flows.FlowLanguages', { key: ({ name }) => name });

/** A node that begins, in the transaction that holds its run. */
export interface FlowNodeContext {
  org_id: string;
  project_id: string;
  run_id: string;
  subject: string | null;
  generation: number;
  trusted: boolean;
  /** Its id; for an item with its index: `parts[3]`. */
  name: string;
  /** The same for every attempt: run, node and item, or the node's own key. At most 200 characters. */
  key: string;
  attempt: number;
  config: { [name: string]: Json };
  timeout_ms: number | undefined;
  evaluate(expression: string): Json;
}

export type FlowNodeOutcome =
  | { output: Json; case?: boolean | string }
  /** Waits without an agent until the wait ends. JSON that the wait prints becomes the output. */
  | {
      wait: Pick<ArmWait, 'kind' | 'name' | 'args' | 'timeout_ms'>;
      /** A run that has not started yet starts when the wait ends, not when it begins. */
      queued?: boolean;
    }
  | { activity: { executor: string; spec: Json; requires: readonly string[] } };

/** A type of node. */
export interface FlowNodeType {
  type: string;
  /**
   * Called in the transaction that holds the run: only database work, repeated after a deadlock. A ServiceError below
   * 500 fails the attempt with its code; an error without a code fails it with `flow_node_failed` and is logged. The org's
   * keys are ready.
   */
  begin(tx: Transaction, node: FlowNodeContext): FlowNodeOutcome | Promise<FlowNodeOutcome>;
  /** Converts the result of its activity or wait; absent: unchanged. */
  ended?(result: Completion): Completion;
}

/** The types of nodes. */
export const FlowNodes = extensionPoint<FlowNodeType>('flows.FlowNodes', { key: ({ type }) => type });

/** One node of a run, or one item of it, in lists. */
export type FlowNodeView = CoordinatedNode;

export interface Flows {
  /** Throws `flow_invalid` with all faults. Kinds call it in their check. */
  check(plan: FlowPlan): void;
  /** For `WorkflowPlan.coordination`. */
  coordination(plan: FlowPlan): Coordination;
  /** Nodes in plan order; those not reached yet are `waiting`. Empty when the run is not a flow. */
  nodes(
    scope: { org_id: string; project_id: string },
    run_id: string,
    page: { after: number; limit: number },
  ): Promise<FlowNodeView[]>;
  /** Items of a fan-out that have begun, in order. */
  items(
    scope: { org_id: string; project_id: string },
    run_id: string,
    node: string,
    page: { after: number; limit: number },
  ): Promise<FlowNodeView[]>;
}

export const Flows = token<Flows>('flows.Flows');
