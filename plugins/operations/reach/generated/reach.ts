// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * What an event of a type could start, wake and use, as far as the stored workflows show it.
 */
export interface Reach {
  type: string;
  /**
   * Whether somebody vouches for the event.
   */
  trusted: boolean;
  /**
   * The node of the event.
   */
  root: string;
  nodes: ReachNode[];
  edges: ReachEdge[];
  /**
   * Limits that cut the answer off; empty if it is complete.
   */
  truncated: ('nodes' | 'depth' | 'workflows')[];
}
export interface ReachNode {
  /**
   * Unique in this response.
   */
  id: string;
  kind:
    | 'event'
    | 'emit'
    | 'event-hook'
    | 'webhook'
    | 'trigger'
    | 'schedule'
    | 'run'
    | 'handler'
    | 'graph'
    | 'workflow'
    | 'secrets'
    | 'secret'
    | 'credential'
    | 'account'
    | 'id-token'
    | 'connector'
    | 'lease'
    | 'agent'
    | 'unknown';
  name: string;
  /**
   * Of an event, and of the runs of a workflow.
   */
  trusted?: boolean;
  /**
   * The path of the resource in this API.
   */
  link?: string;
  /**
   * The file of a workflow, or the file where something unknown is.
   */
  file?: string;
  line?: number;
  /**
   * The job or node where it is.
   */
  section?: string;
}
export interface ReachEdge {
  from: string;
  to: string;
  relation: 'sends' | 'starts' | 'wakes' | 'cancels' | 'calls' | 'emits' | 'announces' | 'uses' | 'hides';
  /**
   * For people.
   */
  why: string;
  /**
   * Why svc does not let it happen. Nothing is reached through such an edge.
   */
  rejection?: string;
}
