import { MAX_AT_ONCE, type Transaction } from '../../../kernel/contracts/index.ts';
import type { EventBus, ProjectScope } from '../../bus/contract.ts';
import type { RunObserver, RunTransition } from '../../runs/contract.ts';
import { MAX_IN_FLIGHT } from '../domain/ceilings.ts';
import { closeRuns, countOpen } from '../store/open-runs.ts';
import { dequeue, firstQueued } from '../store/queue.ts';
import { type StarterParts, startRuns } from './starter.ts';

export interface SlotParts extends StarterParts {
  bus: Pick<EventBus, 'lock' | 'settleDeliveries'>;
}

/** Gives the slots of ended handler runs to queued deliveries, in the transaction that ends the runs. */
export function slotObserver(parts: SlotParts): RunObserver {
  return {
    name: 'handlers',
    async onTransitions(tx, runs) {
      const ended = runs.filter(({ type, trigger }) => type !== 'run.started' && trigger.handler !== undefined);
      const projects = [...new Set(ended.map(({ project_id }) => project_id))].sort();
      for (const project_id of projects)
        await onEnded(
          parts,
          tx,
          ended.filter((run) => run.project_id === project_id),
        );
    },
  };
}

async function onEnded(parts: SlotParts, tx: Transaction, ended: readonly RunTransition[]): Promise<void> {
  const { org_id, project_id } = ended[0]!;
  const scope = { org_id, project_id };
  await parts.bus.lock(tx, scope);
  await closeRuns(
    tx,
    project_id,
    ended.map(({ run_id }) => run_id),
  );
  await fillSlots(parts, tx, scope);
}

/** A refused delivery takes no slot, so the next one is tried. */
async function fillSlots(parts: SlotParts, tx: Transaction, scope: ProjectScope): Promise<void> {
  // Usually as many start as there are free slots; when they are refused, thousands may follow.
  for (let most = 0; ; most = MAX_AT_ONCE) {
    const room = MAX_IN_FLIGHT - (await countOpen(tx, scope));
    const next = room > 0 ? await firstQueued(tx, scope, Math.max(room, most)) : [];
    if (next.length === 0) return;
    const deliveries = await startRuns(parts, tx, scope, next, room);
    await dequeue(tx, scope, next.slice(0, deliveries.length));
    await parts.bus.settleDeliveries(tx, scope, deliveries);
  }
}
