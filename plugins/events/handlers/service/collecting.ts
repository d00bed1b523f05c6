import { parseDuration, type Transaction } from '../../../../kernel/contracts/index.ts';
import type { Delivery, EventBus, ProjectScope } from '../../bus/contract.ts';
import type { Batch, Debounce } from '../contract/flow-options.ts';
import { batchReason, COLLECTED, debounceDue, debounceReason, mergedReason, mergeGate } from '../domain/gates.ts';
import { changeDue, insertGate, readGates } from '../store/gates.ts';
import { dequeue, listAtGate, type QueuedDelivery } from '../store/queue.ts';
import type { Admitted, Start } from './admission.ts';
import { countForBatch, type GateDeps } from './gates.ts';

export interface CollectDeps extends GateDeps {
  bus(): Pick<EventBus, 'updateDeliveries'>;
}

/** The starts of one gate, in the order of their events. */
interface Collected {
  gate: string;
  starts: readonly Start[];
  opened_at: number | undefined;
}

/** Deliveries of one batch that are read to see whether it is full. */
const MAX_SIZE = 100;

/** Lets starts wait whose handler merges events. Returns the others. */
export async function collect(
  deps: CollectDeps,
  tx: Transaction,
  scope: ProjectScope,
  starts: readonly Start[],
  admitted: Omit<Admitted, 'free'>,
): Promise<Start[]> {
  const by_gate = Map.groupBy(starts, ({ name, event, flow }) => flow && mergeGate(name, flow, event.trusted));
  const free = by_gate.get(undefined) ?? [];
  by_gate.delete(undefined);
  if (by_gate.size === 0) return free;
  const open = await readGates(tx, scope, [...by_gate.keys()] as string[]);
  for (const [gate, collected] of by_gate as Map<string, Start[]>) {
    const { debounce, batch } = collected[0]!.flow!.options;
    const group = { gate, starts: collected, opened_at: open.get(gate)?.opened_at };
    if (debounce) await mergeBurst(deps, tx, scope, group, debounce, admitted);
    else if (batch) await fillBatch(deps, tx, scope, group, batch, admitted);
  }
  tx.afterCommit(() => deps.waiting());
  return free;
}

const waitAt = (gate: string, start: Start): Start => ({ ...start, waits: { blocked: COLLECTED, gate } });

/** The last event takes the place of those before it. */
async function mergeBurst(
  deps: CollectDeps,
  tx: Transaction,
  scope: ProjectScope,
  { gate, starts, opened_at }: Collected,
  debounce: Debounce,
  admitted: Omit<Admitted, 'free'>,
): Promise<void> {
  const now = deps.database.now();
  const last = starts.at(-1)!;
  const { name } = last;
  const toMerged = ({ event }: Pick<QueuedDelivery, 'event'>): Delivery => ({
    event_id: event.event_id,
    reaction: 'handler',
    name,
    state: 'declined',
    reason: mergedReason(last.event.event_id),
  });
  const earlier = opened_at === undefined ? [] : await listAtGate(tx, scope, gate, 1);
  await dequeue(tx, scope, earlier);
  await deps.bus().updateDeliveries(tx, scope, earlier.map(toMerged));
  admitted.dropped.push(...starts.slice(0, -1).map(toMerged));
  const due_at = debounceDue(debounce, opened_at ?? now, now);
  if (opened_at === undefined) await insertGate(tx, scope, { gate, name, kind: 'debounce', opened_at: now, due_at });
  else await changeDue(tx, scope, gate, due_at);
  admitted.waiting.push({ start: waitAt(gate, last), reason: debounceReason(debounce, last.flow!.keys.debounce!) });
}

/** A full batch is due at once: the refiller starts it, when its deliveries are recorded. */
async function fillBatch(
  deps: CollectDeps,
  tx: Transaction,
  scope: ProjectScope,
  { gate, starts, opened_at }: Collected,
  batch: Batch,
  admitted: Omit<Admitted, 'free'>,
): Promise<void> {
  const now = deps.database.now();
  const { name, flow } = starts[0]!;
  const waiting = opened_at === undefined ? [] : await listAtGate(tx, scope, gate, MAX_SIZE);
  const all = [...waiting, ...starts];
  const is_full = all.length >= batch.size || countForBatch(all, batch.size) < all.length;
  const due_at = is_full ? now : now + parseDuration(batch.timeout);
  if (opened_at === undefined) await insertGate(tx, scope, { gate, name, kind: 'batch', opened_at: now, due_at });
  else if (is_full) await changeDue(tx, scope, gate, now);
  const reason = batchReason(batch, flow!.keys.batch!);
  for (const start of starts) admitted.waiting.push({ start: waitAt(gate, start), reason });
}
