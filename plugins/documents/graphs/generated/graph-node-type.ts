// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A node type for graphs.
 */
export interface GraphNodeTypeView {
  type: string;
  title: string;
  /**
   * True for a type that starts a graph.
   */
  trigger: boolean;
  /**
   * JSON Schema of its config.
   */
  config: {
    [k: string]: unknown;
  };
  /**
   * The members in which `{{ }}` is evaluated.
   */
  holes: string[];
  /**
   * The members that are CEL expressions over `event`.
   */
  predicates: string[];
  /**
   * The members that are CEL expressions over the graph.
   */
  expressions: string[];
}
