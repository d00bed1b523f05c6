import { MAX_ROWS_PER_STATEMENT, type Transaction } from '../../../../kernel/contracts/index.ts';
import type { Delivery, EventBus, PendingEvent, ProjectScope } from '../../bus/contract.ts';
import { startingType, toDeadLetter } from '../domain/dead-letters.ts';
import { addCounts } from '../store/counts.ts';
import { delayOf } from '../domain/retry.ts';
import { type DeadLetter, insertDeadLetters } from '../store/dead-letters.ts';
import { insertRetries, type PendingRetry } from '../store/retries.ts';
import { removeOpenRuns, readCapacity, readOpenRuns } from '../store/open-runs.ts';
import { admitBlocked, restoreBlocked } from '../store/admissions.ts';
import { holdThrottled, passGates, recordPasses } from './gates.ts';
import type { Registry } from './registry.ts';
import { dequeue, listBatch, listFirstQueued, type QueuedDelivery } from '../store/queue.ts';
import { insertRefill } from '../store/refills.ts';
import { type StarterDeps, startRuns } from './starter.ts';

export interface SlotDeps extends StarterDeps {
  registry: Pick<Registry, 'optionsOf' | 'retriesOf' | 'limitsRetries'>;
  bus(): Pick<EventBus, 'updateDeliveries'>;
  /** Called after a commit that left work to the refiller. */
  refilling(): void;
  /** Called after a commit that lets deliveries wait for a time. */
  waiting(): void;
}

export interface EndDeps extends Pick<SlotDeps, 'database' | 'ids' | 'registry'> {
  /** Called after a commit that may have freed a place that a retry waits for. */
  retrying(): void;
}

/** Lets deliveries pass the gates that are due, and starts what can start. */
export async function passAndFill(deps: SlotDeps, tx: Transaction, scope: ProjectScope): Promise<void> {
  await passGates(deps, tx, scope);
  await admitAndFill(deps, tx, scope);
}

/** Lets deliveries whose handler has a free place wait for a slot, and starts those that have one. */
export async function admitAndFill(deps: SlotDeps, tx: Transaction, scope: ProjectScope): Promise<void> {
  const { has_more, untrusted } = await admitBlocked(tx, scope, await readCapacity(tx, scope, deps.limits));
  await fillSlots(deps, tx, scope);
  await restoreBlocked(tx, scope, untrusted);
  if (!has_more) return;
  await insertRefill(tx, scope, deps.database.now());
  tx.afterCommit(() => deps.refilling());
}

/**
 * How often one transaction looks for queued deliveries. Each time it starts at most 16 runs or refuses at most 128.
 */
const MAX_ROUNDS = 4;
/** Rounds by transaction. The end of a run that was just created begins further rounds within the first. */
const rounds = new WeakMap<Transaction, number>();

/**
 * Returns the ended handler run that an event reports, whose slot becomes free. Only handler runs have a withheld
 * lifecycle.
 */
export const endedHandlerRun = (event: PendingEvent): string | undefined =>
  event.source === 'lifecycle' && event.withheld && event.type !== 'run.started' ? event.source_name : undefined;

/** Frees the slots of ended runs in the transaction that records their end. The project's bus is locked. */
export async function freeSlots(
  { database, ids, registry, retrying }: EndDeps,
  tx: Transaction,
  scope: ProjectScope,
  events: readonly PendingEvent[],
): Promise<void> {
  const ended = events.flatMap((event) => endedHandlerRun(event) ?? []);
  if (ended.length === 0) return;
  const now = database.now();
  const failed = new Map(
    events.flatMap((event) => {
      const run_id = event.type === 'run.failed' ? endedHandlerRun(event) : undefined;
      return run_id === undefined ? [] : [[run_id, startingType(event)]];
    }),
  );
  const runs = await readOpenRuns(tx, scope.project_id, [...failed.keys()]);
  await addCounts(
    tx,
    scope,
    runs.map(({ name }) => ({ name, kind: 'failed' })),
    now,
  );
  const policies = runs.length > 0 ? await registry.retriesOf(tx, scope) : undefined;
  const [retries, letters]: [PendingRetry[], DeadLetter[]] = [[], []];
  for (const { run_id, name, event_id, attempt, admission, untrusted } of runs) {
    const failure = { run_id, name, event_id, type: failed.get(run_id)! };
    const policy = policies?.get(name);
    const next = Number(attempt ?? 0) + 1;
    if (policy && next <= policy.limit)
      retries.push({
        ...{ ...scope, ...failure, attempt: next, due_at: now + delayOf(policy, next) },
        ...{ admission: admission ?? undefined, trusted: untrusted === null, waiting: false },
      });
    else letters.push(toDeadLetter(ids, failure, now));
  }
  await insertRetries(tx, retries);
  await insertDeadLetters(tx, scope, letters);
  await removeOpenRuns(tx, scope.project_id, ended);
  if (await registry.limitsRetries(tx, scope)) tx.afterCommit(retrying);
}

/**
 * Gives free slots to queued deliveries. Deliveries of untrusted events wait for a slot of their share while others
 * pass them. A refused delivery uses no slot, nor does a run that ends at once, so the next ones are tried. There may
 * be 100,000 of them, so whatever remains after a few rounds gets transactions of its own.
 */
export async function fillSlots(deps: SlotDeps, tx: Transaction, scope: ProjectScope): Promise<void> {
  // Usually as many start as there are free slots; if they are refused, thousands may follow.
  for (let page_size = 0; ; page_size = MAX_ROWS_PER_STATEMENT) {
    const capacity = await readCapacity(tx, scope, deps.limits);
    const next = capacity.all > 0 ? await listFirstQueued(tx, scope, Math.max(capacity.all, page_size), capacity) : [];
    if (next.length === 0) return;
    const completed = rounds.get(tx) ?? 0;
    rounds.set(tx, completed + 1);
    if (completed >= MAX_ROUNDS) {
      await insertRefill(tx, scope, deps.database.now());
      tx.afterCommit(() => deps.refilling());
      return;
    }
    const startable = await withBatches(tx, scope, await holdThrottled(deps, tx, scope, next));
    const deliveries = await startRuns(deps, tx, scope, startable, capacity);
    await recordPasses(deps, tx, scope, startable, deliveries);
    for (const [at, delivery] of deliveries.entries()) await settleMembers(deps, tx, scope, startable[at]!, delivery);
    await dequeue(tx, scope, startable.slice(0, deliveries.length));
    await deps.bus().updateDeliveries(tx, scope, deliveries);
  }
}

type Queued = QueuedDelivery & { members?: readonly { event_seq: number; event_id: string }[] };

/** Adds the events that start a run together. */
async function withBatches(
  tx: Transaction,
  scope: ProjectScope,
  queued: readonly QueuedDelivery[],
): Promise<readonly Queued[]> {
  const complete: Queued[] = [];
  for (const one of queued) {
    const { batch, event } = one;
    if (batch === undefined) {
      complete.push(one);
      continue;
    }
    const rows = await listBatch(tx, scope, { ...one, batch }, MAX_ROWS_PER_STATEMENT);
    const members = rows.filter(({ event_id }) => event_id !== event.event_id);
    const ids = [event.event_id, ...members.map(({ event_id }) => event_id)];
    complete.push({ ...one, members, event: { ...event, batch: ids } });
  }
  return complete;
}

/** The other events of a batch have the result of the first one. */
async function settleMembers(
  deps: SlotDeps,
  tx: Transaction,
  scope: ProjectScope,
  { name, members = [] }: Queued,
  delivery: Delivery,
): Promise<void> {
  if (members.length === 0) return;
  await dequeue(
    tx,
    scope,
    members.map(({ event_seq }) => ({ event_seq: Number(event_seq), name })),
  );
  await deps.bus().updateDeliveries(
    tx,
    scope,
    members.map(({ event_id }) => ({ ...delivery, event_id })),
  );
}
