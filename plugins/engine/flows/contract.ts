import type { GraphNodeType } from './contract/node-types.ts';
import { extensionPoint, type Queries, token, type Transaction } from '../../../kernel/contracts/index.ts';
import type { ArmWait, Completion, CoordinatedNode, Coordination, Json, NodeState, Trigger } from '../runs/contract.ts';
import type { FlowPlan } from './contract/plan.ts';

export { flowConfigInvalid } from './contract/errors.ts';
export { type Interpolation, splitInterpolations } from './contract/interpolations.ts';
export * from './contract/node-types.ts';
export * from './contract/plan.ts';

export type FlowNodeState = NodeState;

/** The result of a node, as expressions read it. */
export interface NodeResult {
  status: FlowNodeState;
  output: Json;
  error: { code: string; message: string } | null;
  case: Json;
}

/** The values from which the scope of expressions is built. */
export interface ExpressionContext {
  run: { run_id: string; org_id: string; project_id: string; subject: string | null; trigger: Trigger };
  /** The content of a script's input file, with `input`, `payload`, `type` and others. */
  envelope: { type: string; [key: string]: Json };
  constants: Json;
  /** What the sources of `RunValues` answered, by their names. */
  values: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  nodes: Record<string, NodeResult>;
  item?: Json;
  index?: number;
}

/** How the documents of a workflow kind name values. */
export interface FlowLanguage {
  name: string;
  /** The names that an expression may use at its root. */
  roots: readonly string[];
  scope(context: ExpressionContext): Readonly<Record<string, unknown>>;
  /** Renders a config. Absent: configs contain no expressions. `evaluate` throws `flow_expression_failed`. */
  render?(config: Json, evaluate: (expression: string) => Json): Json;
  /**
   * Makes the items of a fan-out from its config. Throws a ServiceError below 500 that says what is wrong with a value.
   * Absent: its fan-outs have no config.
   */
  items?(config: Json, evaluate: (expression: string) => Json): readonly Json[];
}

export const FlowLanguages = extensionPoint<FlowLanguage>('flows.FlowLanguages', { key: ({ name }) => name });

/** Values that the expressions of a run can read whatever its language is, such as the variables of its project. */
export interface RunValues {
  /** Languages find the values by it. */
  name: string;
  /** Returns the same values for a run each time. Called in the transaction that has locked the run. */
  read(
    on: Pick<Queries, 'read'>,
    run: { run_id: string; org_id: string; project_id: string },
  ): Promise<Readonly<Record<string, Json>>>;
}

export const RunValues = extensionPoint<RunValues>('flows.RunValues', { key: ({ name }) => name });

/** A node that begins, in the transaction that has locked its run. */
export interface FlowNodeContext {
  org_id: string;
  project_id: string;
  run_id: string;
  subject: string | null;
  generation: number;
  trusted: boolean;
  /** The id of the node; an item has its index too: `parts[3]`. */
  name: string;
  /**
   * The idempotency key, which is the same for every attempt: run, node and item, or the node's own key. At most 200
   * characters.
   */
  key: string;
  attempt: number;
  config: { [name: string]: Json };
  timeout_ms: number | undefined;
  evaluate(expression: string): Json;
  /** What expressions can read, by the names at their root. */
  scope: Readonly<Record<string, unknown>>;
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

/** A type of flow node. */
export interface FlowNodeType {
  type: string;
  /**
   * Begins the node in the transaction that has locked the run. It may do only database work, which is repeated after a
   * deadlock. A ServiceError below 500 fails the attempt with its code; an error without a code fails it with
   * `flow_node_failed` and is logged. The keys of the org are prepared.
   */
  begin(tx: Transaction, node: FlowNodeContext): FlowNodeOutcome | Promise<FlowNodeOutcome>;
  /** Converts the result of its activity or wait; absent: unchanged. */
  ended?(result: Completion): Completion;
}

/**
 * Types of nodes that can change while the server runs, such as those of connectors in a folder. Types of `FlowNodes`
 * and `GraphNodeTypes` win over them.
 */
export interface ChangingNodeTypes {
  name: string;
  /** The type with this name; a removed one is kept for the runs that are still open. */
  findFlowNode(type: string): FlowNodeType | undefined;
  /** What new graphs may have now. An object stays the same as long as its type does not change. */
  graphNodes(): ReadonlyMap<string, GraphNodeType>;
}

export const ChangingNodeTypes = extensionPoint<ChangingNodeTypes>('flows.ChangingNodeTypes', {
  key: ({ name }) => name,
});

/** The types of nodes. */
export const FlowNodes = extensionPoint<FlowNodeType>('flows.FlowNodes', { key: ({ type }) => type });

/** One node of a run, or one item of it, in a list. */
export type FlowNodeView = CoordinatedNode;

export interface Flows {
  /** Validates a plan for the check of a workflow kind. Throws `flow_invalid` with all errors. */
  check(plan: FlowPlan): void;
  /** Builds the value of `WorkflowPlan.coordination`. */
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
