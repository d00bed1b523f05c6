import { chunks, distinct, inList, type Queries, type Transaction } from '../../../../kernel/contracts/index.ts';
import type { RunMasks } from '../../../security/masking/contract.ts';

/** A run that receives an event, as its trigger or as the end of its wait. */
export interface EventReceipt {
  project_id: string;
  run_id: string;
  event_id: string;
}

/** A run that receives an event may learn secrets of the run that emitted it, so they are masked there too. */
export async function inheritMasks(
  tx: Transaction,
  masks: Pick<RunMasks, 'inherit'>,
  receipts: readonly EventReceipt[],
): Promise<void> {
  for (const [event_id, emitter] of await readEmitters(tx, receipts)) {
    // The id may belong to an event of another project.
    const heirs = receipts.filter(
      (receipt) => receipt.event_id === event_id && receipt.project_id === emitter.project_id,
    );
    await masks.inherit(
      tx,
      emitter.source_name,
      distinct(heirs, ({ run_id }) => run_id),
    );
  }
}

interface Emitter {
  project_id: string;
  source_name: string;
}

/** Returns the runs that emitted these events or that the events report on. */
async function readEmitters(tx: Transaction, receipts: readonly EventReceipt[]): Promise<Map<string, Emitter>> {
  const emitters = new Map<string, Emitter>();
  for (const ids of chunks(distinct(receipts, ({ event_id }) => event_id))) {
    const list = inList(ids);
    const rows = await tx.read<Emitter & { event_id: string }>(
      `SELECT event_id, project_id, source_name FROM bus_events 
       WHERE source IN ('emit', 'lifecycle', 'manual', 'spawn') AND event_id IN ${list.placeholders}`,
      list.params,
    );
    for (const { event_id, ...row } of rows) if (row.source_name.startsWith('run_')) emitters.set(event_id, row);
  }
  return emitters;
}

/** Those of at most 128 runs of which there is an event, also one that has no number yet. */
export async function emittersOfAny(
  on: Pick<Queries, 'read'>,
  project_id: string,
  run_ids: readonly string[],
): Promise<Set<string>> {
  const found = new Set<string>();
  for (const run_id of run_ids)
    for (const table of ['bus_outbox', 'bus_events']) {
      const rows = await on.read(`SELECT 1 AS one FROM ${table} WHERE project_id = ? AND source_name = ? LIMIT 1`, [
        project_id,
        run_id,
      ]);
      if (rows.length > 0) found.add(run_id);
    }
  return found;
}
