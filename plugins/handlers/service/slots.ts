import { MAX_AT_ONCE, type Transaction } from '../../../kernel/contracts/index.ts';
import type { EventBus, PendingEvent, ProjectScope } from '../../bus/contract.ts';
import { MAX_IN_FLIGHT } from '../domain/ceilings.ts';
import { closeRuns, countOpen } from '../store/open-runs.ts';
import { dequeue, firstQueued } from '../store/queue.ts';
import { type StarterParts, startRuns } from './starter.ts';

export interface SlotParts extends StarterParts {
  bus(): Pick<EventBus, 'settleDeliveries'>;
}

/** The ended handler run that an event reports, whose slot becomes free. Nothing else withholds its lifecycle. */
export const endedRun = (event: PendingEvent): string | undefined =>
  event.source === 'lifecycle' && event.withheld && event.type !== 'run.started' ? event.source_name : undefined;

/** Frees the slots of ended runs, in the transaction that records their end. The project's bus is locked. */
export async function freeSlots(tx: Transaction, scope: ProjectScope, events: readonly PendingEvent[]): Promise<void> {
  const ended = events.flatMap((event) => endedRun(event) ?? []);
  if (ended.length > 0) await closeRuns(tx, scope.project_id, ended);
}

/** Gives free slots to queued deliveries. A refused delivery takes no slot, so the next one is tried. */
export async function fillSlots(parts: SlotParts, tx: Transaction, scope: ProjectScope): Promise<void> {
  // Usually as many start as there are free slots; when they are refused, thousands may follow.
  for (let most = 0; ; most = MAX_AT_ONCE) {
    const room = MAX_IN_FLIGHT - (await countOpen(tx, scope));
    const next = room > 0 ? await firstQueued(tx, scope, Math.max(room, most)) : [];
    if (next.length === 0) return;
    const deliveries = await startRuns(parts, tx, scope, next, room);
    await dequeue(tx, scope, next.slice(0, deliveries.length));
    await parts.bus().settleDeliveries(tx, scope, deliveries);
  }
}
