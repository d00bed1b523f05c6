import { extensionPoint, type Fault, type JsonSchema } from '../../kernel/contracts/index.ts';
import type { CredentialWish } from '../credentials/contract.ts';
import type { FlowCase, FlowNode } from '../flows/contract.ts';
import type { Json } from '../runs/contract.ts';

export { type HolePart, splitHoles } from './contract/holes.ts';

/** The config of a node, as its document gives it: expressions and holes are not evaluated. */
export type NodeConfig = { readonly [name: string]: Json };

/** A credential that a config names. */
export interface NamedCredential extends CredentialWish {
  /** Where in the config: `/credential`. */
  pointer: string;
}

/**
 * A type of node of the language `svc-graph/v1`. What it does when it runs is a `FlowNodeType` of the same plugin;
 * `lower` names it.
 */
export interface GraphNodeType {
  /** `http`, `set`, `team_chat.post_message`. */
  type: string;
  /** One line for lists and the console. */
  title: string;
  /**
   * JSON Schema (2020-12) of the config; its `type` is `object`. References are to its own `$defs`. Any value in a config
   * may be `{"$expr": "<CEL>"}` instead: then the schema is not applied to this value at the save, and the type checks the
   * rendered value when it begins. Members that nothing names are refused.
   */
  config: JsonSchema;
  /** Members of the config in which `{{ }}` holes of strings are filled, at any depth: `['with', 'input']`. */
  holes?: readonly string[];
  /** Members of the config that are CEL as a whole and see only `event`: `['when']`. */
  predicates?: readonly string[];
  /**
   * Members of the config that are CEL over the scope of the graph, as the flow node evaluates them itself: `['if']`.
   * `{"$expr": "x"}` is the same as `"x"`; other values are left as they are.
   */
  expressions?: readonly string[];
  /** Begins a graph: nothing leads to it, and what it registers is made at the publish. It is no kind of workflow. */
  trigger?: boolean;
  /** The cases that edges from it may name; absent: none. */
  cases?(config: NodeConfig): readonly FlowCase[];
  /** Faults that a schema cannot find; pointers are relative to the config. Called only when the schema is met. */
  faults?(config: NodeConfig): Fault[];
  /** Credentials that it names literally. Those given by an expression are found when the node runs. */
  credentials?(config: NodeConfig): NamedCredential[];
  /** Types of events that it emits and that are known from the config; for the catalog of event types. */
  emits?(config: NodeConfig): string[];
  /**
   * Its node in a plan; absent: a flow node of the same type and config. Strings with holes are already in the form in which
   * they are evaluated: an object that is passed on as it is.
   */
  lower?(config: NodeConfig, before?: string): Pick<FlowNode, 'type' | 'config' | 'timeout_ms'>;
  /**
   * Work that is done before the node, once also for a fan-out: a node of its own in the plan, called `<id>--before`. Its
   * result, `{status, output, error}`, is found by the expression `before` in `lower`. Undefined: there is none. An
   * `item` cannot be used in its config.
   */
  before?(config: NodeConfig): Pick<FlowNode, 'type' | 'config'> | undefined;
}

/** The types of nodes that a graph may have. */
export const GraphNodeTypes = extensionPoint<GraphNodeType>('graphs.GraphNodeTypes', { key: ({ type }) => type });
