// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A type of node that a graph may have.
 */
export interface GraphNodeTypeView {
  type: string;
  title: string;
  /**
   * It begins a graph.
   */
  trigger: boolean;
  /**
   * JSON Schema of its config.
   */
  config: {
    [k: string]: unknown;
  };
  /**
   * Members in which `{{ }}` is filled.
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
