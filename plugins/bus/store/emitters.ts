import { chunks, distinct, inList, type Transaction } from '../../../kernel/contracts/index.ts';
import type { RunMasks } from '../../masking/contract.ts';

/** A run that gets to know an event, as its trigger or as the end of its wait. */
export interface Heard {
  project_id: string;
  run_id: string;
  event_id: string;
}

/** Whoever hears an event may hold secrets of the run that emitted it, so they are masked there too. */
export async function inheritMasks(
  tx: Transaction,
  masks: Pick<RunMasks, 'inherit'>,
  heard: readonly Heard[],
): Promise<void> {
  for (const [event_id, emitter] of await emittersOf(tx, heard)) {
    // An id could be named that is another project's.
    const heirs = heard.filter((one) => one.event_id === event_id && one.project_id === emitter.project_id);
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

/** Of those events that runs emitted, or that tell of one. */
async function emittersOf(tx: Transaction, heard: readonly Heard[]): Promise<Map<string, Emitter>> {
  const found = new Map<string, Emitter>();
  for (const ids of chunks(distinct(heard, ({ event_id }) => event_id))) {
    const list = inList(ids);
    const rows = await tx.read<Emitter & { event_id: string }>(
      `SELECT event_id, project_id, source_name FROM bus_events 
       WHERE source IN ('emit', 'lifecycle', 'manual', 'spawn') AND event_id IN ${list.marks}`,
      list.params,
    );
    for (const { event_id, ...row } of rows) if (row.source_name.startsWith('run_')) found.set(event_id, row);
  }
  return found;
}
