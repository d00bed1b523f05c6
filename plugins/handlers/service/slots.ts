import { MAX_AT_ONCE, type Transaction } from '../../../kernel/contracts/index.ts';
import type { EventBus, PendingEvent, ProjectScope } from '../../bus/contract.ts';
import { addCounts } from '../store/counts.ts';
import { closeRuns, freeRoom, namesOf } from '../store/open-runs.ts';
import { dequeue, firstQueued } from '../store/queue.ts';
import { askRefill } from '../store/refills.ts';
import { type StarterParts, startRuns } from './starter.ts';

export interface SlotParts extends StarterParts {
  bus(): Pick<EventBus, 'settleDeliveries'>;
  /** Called after a commit that has left work to the refiller. */
  refilling(): void;
}

/** How often one transaction looks for queued deliveries: at most 16 runs are made each time, or 128 refused. */
const MAX_ROUNDS = 4;
/** Rounds of each transaction: the end of a run that was just made begins further ones within the first. */
const rounds = new WeakMap<Transaction, number>();

/** The ended handler run that an event reports, whose slot becomes free. Nothing else withholds its lifecycle. */
export const endedRun = (event: PendingEvent): string | undefined =>
  event.source === 'lifecycle' && event.withheld && event.type !== 'run.started' ? event.source_name : undefined;

/** Frees the slots of ended runs, in the transaction that records their end. The project's bus is locked. */
export async function freeSlots(
  tx: Transaction,
  scope: ProjectScope,
  events: readonly PendingEvent[],
  now: number,
): Promise<void> {
  const ended = events.flatMap((event) => endedRun(event) ?? []);
  if (ended.length === 0) return;
  const failed = events.filter(({ type }) => type === 'run.failed').flatMap((event) => endedRun(event) ?? []);
  const names = await namesOf(tx, scope.project_id, failed);
  await addCounts(
    tx,
    scope,
    names.map((name) => ({ name, kind: 'failed' })),
    now,
  );
  await closeRuns(tx, scope.project_id, ended);
}

/**
 * Gives free slots to queued deliveries; those of untrusted events wait for a slot of theirs, and others pass them. A
 * refused delivery takes no slot, nor does a run that is over at once, so the next ones are tried. There may be 100,000
 * of them: what is left after a few rounds gets transactions of its own.
 */
export async function fillSlots(parts: SlotParts, tx: Transaction, scope: ProjectScope): Promise<void> {
  // Usually as many start as there are free slots; when they are refused, thousands may follow.
  for (let most = 0; ; most = MAX_AT_ONCE) {
    const room = await freeRoom(tx, scope, parts.limits);
    const next = room.all > 0 ? await firstQueued(tx, scope, Math.max(room.all, most), room) : [];
    if (next.length === 0) return;
    const done = rounds.get(tx) ?? 0;
    rounds.set(tx, done + 1);
    if (done >= MAX_ROUNDS) {
      await askRefill(tx, scope, parts.database.now());
      tx.afterCommit(() => parts.refilling());
      return;
    }
    const deliveries = await startRuns(parts, tx, scope, next, room);
    await dequeue(tx, scope, next.slice(0, deliveries.length));
    await parts.bus().settleDeliveries(tx, scope, deliveries);
  }
}
