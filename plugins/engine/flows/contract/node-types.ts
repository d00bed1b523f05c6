import { extensionPoint, type Fault, type JsonSchema } from '../../../../kernel/contracts/index.ts';
import type { Json } from '../../runs/contract.ts';
import type { FlowCase, FlowNode } from './plan.ts';

/** The config of a node as its document has it. Expressions and templates are not evaluated. */
export type NodeConfig = { readonly [name: string]: Json };

/** A credential that a config names. */
export interface NamedCredential {
  name: string;
  /** The kinds that it accepts; absent: any. A connected account counts as `bearer`. */
  kinds?: readonly ('bearer' | 'api_key' | 'basic' | 'url_token')[];
  /** Where the value goes, if the config says it: a credential may be limited to some hosts. */
  destination?: { url: string };
  /** The JSON pointer within the config: `/credential`. */
  pointer: string;
}

/**
 * A type of node of the language `svc-graph/v1`. Its behaviour is a `FlowNodeType` of the same plugin, which `lower`
 * names.
 */
export interface GraphNodeType {
  /** The name of the type: `http`, `set`, `team_chat.post_message`. */
  type: string;
  /** One line for lists and the console. */
  title: string;
  /**
   * JSON Schema (2020-12) of the config; its `type` is `object`. References are to its own `$defs`. Any value in a config
   * may be `{"$expr": "<CEL>"}` instead: then the schema is not applied to this value at the save, and the type checks the
   * rendered value when it begins. Members that nothing names are refused.
   */
  config: JsonSchema;
  /** Members of the config in which `{{ }}` templates of strings are evaluated, at any depth: `['with', 'input']`. */
  holes?: readonly string[];
  /**
   * Members of the config that are CEL as a whole and see `event`: `['when']`. Unless the type is a trigger, they also see
   * the scope of the graph, which the flow node reads when it begins. A path leads to a member of each entry of a list:
   * `['for[].when']`.
   */
  predicates?: readonly string[];
  /**
   * Members of the config that are CEL over the scope of the graph and that the flow node evaluates itself: `['if']`.
   * `{"$expr": "x"}` is the same as `"x"`; other values stay unchanged.
   */
  expressions?: readonly string[];
  /**
   * True for a node that starts a graph. No edge leads to it, and publishing the graph creates what it registers. It is
   * not a workflow kind.
   */
  trigger?: boolean;
  /** Returns the cases that edges from the node may name; undefined when there are none. */
  cases?(config: NodeConfig): readonly FlowCase[];
  /**
   * Returns errors that a schema cannot find, with pointers relative to the config. It is called only when the config
   * matches the schema.
   */
  faults?(config: NodeConfig): Fault[];
  /**
   * Returns the credentials that the config names literally. Those that an expression names are resolved when the node
   * runs.
   */
  credentials?(config: NodeConfig): NamedCredential[];
  /** Types of events that it emits and that are known from the config; for the catalog of event types. */
  emits?(config: NodeConfig): string[];
  /**
   * Lowers the config to a node of a plan. By default this is a flow node of the same type and config. Templates in
   * strings are already compiled into objects that must be passed on unchanged.
   */
  lower?(config: NodeConfig, before?: string): Pick<FlowNode, 'type' | 'config' | 'timeout_ms'>;
  /**
   * Returns work that runs before the node, once even for a fan-out, as a node of its own called `<id>--before`. In
   * `lower`, the expression `before` reads its result `{status, output, error}`. Its config cannot read `item`.
   * Undefined means that there is none.
   */
  before?(config: NodeConfig): Pick<FlowNode, 'type' | 'config'> | undefined;
}

/** The types of nodes that a graph may have. */
export const GraphNodeTypes = extensionPoint<GraphNodeType>('graphs.GraphNodeTypes', { key: ({ type }) => type });
