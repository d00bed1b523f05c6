import { MOST_AT_ONCE, type Transaction } from '../../../kernel/contracts/index.ts';
import type { EventBus, ProjectScope } from '../../bus/contract.ts';
import type { RunObserver, RunTransition } from '../../runs/contract.ts';
import { MOST_IN_FLIGHT } from '../domain/ceilings.ts';
import { closeRuns, countOpen } from '../store/open-runs.ts';
import { dequeue, firstQueued } from '../store/queue.ts';
import { type StarterParts, startRuns } from './starter.ts';

export interface PlaceParts extends StarterParts {
  bus: Pick<EventBus, 'lock' | 'settleDeliveries'>;
}

/** Gives the places of handler runs that end to what waits for one, in the transaction that ends them. */
export function placeObserver(parts: PlaceParts): RunObserver {
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

async function onEnded(parts: PlaceParts, tx: Transaction, ended: readonly RunTransition[]): Promise<void> {
  const { org_id, project_id } = ended[0]!;
  const scope = { org_id, project_id };
  await parts.bus.lock(tx, scope);
  await closeRuns(
    tx,
    project_id,
    ended.map(({ run_id }) => run_id),
  );
  await fillPlaces(parts, tx, scope);
}

/** What is refused takes no place, so that the next has its turn. */
async function fillPlaces(parts: PlaceParts, tx: Transaction, scope: ProjectScope): Promise<void> {
  // Mostly as many as there is room for start; where they are refused, there may be thousands of their kind.
  for (let most = 0; ; most = MOST_AT_ONCE) {
    const room = MOST_IN_FLIGHT - (await countOpen(tx, scope));
    const next = room > 0 ? await firstQueued(tx, scope, Math.max(room, most)) : [];
    if (next.length === 0) return;
    const deliveries = await startRuns(parts, tx, scope, next, room);
    await dequeue(tx, scope, next.slice(0, deliveries.length));
    await parts.bus.settleDeliveries(tx, scope, deliveries);
  }
}
