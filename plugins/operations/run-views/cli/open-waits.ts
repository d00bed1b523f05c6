import type { Client } from '../../../../cli/contract.ts';
import type { RunView } from '../explain/answers.ts';
import { readAllSteps } from './all-steps.ts';

const KINDS_WITH_NODES: readonly string[] = ['pipeline', 'graph'];

/** Something that a run waits for. */
export interface Wait {
  run_id: string;
  /** The node or job; absent: the run is a script. */
  node?: string;
  kind: string;
  name: string;
  since: string;
  deadline?: string;
}

/** For a run with nodes: the waits of all of them; for any other run: the wait of its activity. */
export async function readOpenWaits(api: Client, { run_id, kind, substate }: RunView): Promise<Wait[]> {
  if (!KINDS_WITH_NODES.includes(kind)) return substate ? [{ run_id, ...substate }] : [];
  const { nodes = [] } = await readAllSteps(api, run_id, { open: true });
  return nodes.flatMap(({ node, substate: wait }) => (wait ? [{ run_id, node, ...wait }] : []));
}
