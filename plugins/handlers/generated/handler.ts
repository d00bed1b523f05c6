// Generated from the JSON Schema of the same name by kernel/schema/generate.ts. Do not edit.

/**
 * A handler as it is registered; in lists without its document.
 */
export interface HandlerView {
  name: string;
  on: string[];
  when?: string;
  /**
   * Kind of workflow.
   */
  kind: string;
  filename?: string;
  source?: string;
  graph?: string;
  node?: string;
  config?: {
    [k: string]: unknown | undefined;
  };
  interpreter?: string;
  env?: {
    [k: string]: string | undefined;
  };
  tags?: string[];
  requires?: string[];
  /**
   * Variable → name, never a value.
   */
  credentials?: {
    [k: string]: string | undefined;
  };
  cancel_on?: string[];
  /**
   * Id of who registered it last.
   */
  set_by?: string;
  created_at: string;
  set_at: string;
}
