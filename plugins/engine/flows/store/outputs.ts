import type { Sealer, Transaction } from '../../../../kernel/contracts/index.ts';
import type { Activities, Json } from '../../runs/contract.ts';
import { openOutput, type StoredNode } from './node-rows.ts';
import type { FlowScope } from './sealing.ts';

export interface OutputDeps {
  sealer: Sealer;
  activities: Pick<Activities, 'ends'>;
}

/**
 * The results of nodes and items of any run, which are theirs or their activities'. Undefined for those that have not
 * succeeded, and for fan-outs. The org's keys are ready.
 */
export async function readOutputs(
  on: Pick<Transaction, 'read'>,
  { sealer, activities }: OutputDeps,
  scope: FlowScope,
  rows: readonly StoredNode[],
): Promise<(Json | undefined)[]> {
  const ids = rows.flatMap(({ state, output, activity_id }) =>
    state === 'succeeded' && output === null && activity_id !== null ? [activity_id] : [],
  );
  const ends = ids.length === 0 ? new Map() : await activities.ends(on, scope, ids);
  return rows.map((row) => {
    if (row.state !== 'succeeded') return undefined;
    if (row.output !== null) return openOutput(sealer, scope, row);
    const result = ends.get(row.activity_id ?? '')?.result;
    return result?.status === 'succeeded' ? result.output : undefined;
  });
}
