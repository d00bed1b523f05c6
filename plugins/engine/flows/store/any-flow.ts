import type { Transaction } from '../../../../kernel/contracts/index.ts';
import { type FinishedFlowDeps, type ReadableFlow, readFinishedFlow } from './finished-flow.ts';
import { readFlow } from './flow-row.ts';
import { readerOfRows } from './node-reader.ts';
import type { FlowScope } from './sealing.ts';

/** Reads a flow, whichever way it is stored. The org's keys are ready. */
export async function readAnyFlow(
  on: Pick<Transaction, 'read'>,
  deps: FinishedFlowDeps,
  scope: FlowScope,
): Promise<ReadableFlow | undefined> {
  const flow = await readFlow(on, deps.sealer, scope);
  return flow ? { flow, reader: readerOfRows(on, deps.sealer, scope) } : readFinishedFlow(on, deps, scope);
}
