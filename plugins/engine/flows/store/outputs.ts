import type { Sealer, Transaction } from '../../../../kernel/contracts/index.ts';
import type { Activities, Json } from '../../runs/contract.ts';
import { type ListedNode, openOutput, type StoredNode } from './node-rows.ts';
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

/** Bytes of outputs that are read together. A single output may have more. */
const PAGE_BYTES = 1024 * 1024;

/** Returns as many of the first rows as have outputs that can be read together, at least one. It reads no output. */
export async function takePage(
  on: Pick<Transaction, 'read'>,
  activities: Pick<Activities, 'outputBytes'>,
  scope: FlowScope,
  rows: readonly ListedNode[],
): Promise<readonly ListedNode[]> {
  const theirs = rows.flatMap(({ state, output_bytes, activity_id }) =>
    state === 'succeeded' && output_bytes === null && activity_id !== null ? [activity_id] : [],
  );
  const sizes = theirs.length === 0 ? new Map() : await activities.outputBytes(on, scope, theirs);
  let bytes = 0;
  const end = rows.findIndex(({ output_bytes, activity_id }, n) => {
    bytes += output_bytes ?? sizes.get(activity_id ?? '') ?? 0;
    return bytes > PAGE_BYTES && n > 0;
  });
  return end < 0 ? rows : rows.slice(0, end);
}
