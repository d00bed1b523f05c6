/** A handler as the server shows it. */
export interface HandlerView {
  name: string;
  on: string[];
  when?: string;
  kind: string;
  filename?: string;
  source?: string;
  graph?: string;
  node?: string;
  config?: Record<string, unknown>;
  interpreter?: string;
  env?: Record<string, string>;
  tags?: string[];
  requires?: string[];
  credentials?: Record<string, string>;
  cancel_on?: string[];
  set_at: string;
}

/** What it runs, in a word. */
export const runsOf = ({ kind, filename, graph, node }: HandlerView): string =>
  graph === undefined ? (node ?? filename ?? kind) : `graph ${graph}`;
