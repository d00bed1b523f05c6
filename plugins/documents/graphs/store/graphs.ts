import { type NamedRow, NamedTable } from '../../../platform/resources/contract.ts';
import { GRAPH_NOUN } from '../domain/names.ts';
import { GraphErrors } from '../errors.ts';

/** More would be a program's mistake. */
export const MAX_GRAPHS = 1000;

/** A stored graph. Times are epoch milliseconds. */
export interface GraphRow extends NamedRow {
  graph_id: string;
  version_number: number;
  published_version: number | null;
  /** A list of `Registered` as JSON. */
  triggers: string;
  title: string | null;
  /** Nodes of the latest version. */
  nodes: number;
  created_at: number;
  set_at: number;
  set_by: string | null;
}

export const graphs = new NamedTable<GraphRow>({
  ...GRAPH_NOUN,
  table: 'graphs_graphs',
  id: 'graph_id',
  preserved: ['created_at'],
  replaced: ['version_number', 'published_version', 'triggers', 'title', 'nodes', 'set_at', 'set_by'],
  max: { count: MAX_GRAPHS, full: GraphErrors.graphsFull },
});
