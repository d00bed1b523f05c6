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
   * Members where `{{ }}` is evaluated.
   */
  holes: string[];
  /**
   * Members that are CEL over `event`.
   */
  predicates: string[];
  /**
   * Members that are CEL over the graph.
   */
  expressions: string[];
}
