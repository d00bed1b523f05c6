import { type Database, failpoint, parseDuration, type Transaction } from '../../../../kernel/contracts/index.ts';
import type { Delivery, ProjectScope } from '../../bus/contract.ts';
import { admissionId } from '../domain/concurrency.ts';
import type { FlowOptions, Rate } from '../contract/flow-options.ts';
import {
  BLOCKED,
  type GateKind,
  MAX_BATCH_BYTES,
  periodOf,
  THROTTLE_FIELD,
  THROTTLED,
  throttleGate,
} from '../domain/gates.ts';
import {
  changeDue,
  type Gate,
  insertGate,
  insertPasses,
  listDueGates,
  readGates,
  readGateUses,
  readPass,
  removeGate,
} from '../store/gates.ts';
import { changeWaits, joinBatch, listAtGate, type QueuedDelivery } from '../store/queue.ts';
import type { Registry } from './registry.ts';
import type { HandlerStart } from './starter.ts';

export interface GateDeps {
  database: Pick<Database, 'now'>;
  registry: Pick<Registry, 'optionsOf'>;
  /** Called after a commit that lets deliveries wait for a time. */
  waiting(): void;
}

/** Gates that one transaction lets deliveries through, and deliveries of each. */
const MAX_GATES = 32;
const MAX_PASSING = 32;
/** The most events of a batch. */
const MAX_SIZE = 100;

/**
 * Lets deliveries pass the gates that are due. A delivery passes to what it waits for next: a place of its handler, or a
 * slot. The project's bus is locked.
 */
export async function passGates(deps: GateDeps, tx: Transaction, scope: ProjectScope): Promise<void> {
  const now = deps.database.now();
  const due = await listDueGates(tx, scope, now, MAX_GATES);
  if (due.length === 0) return;
  const options = await deps.registry.optionsOf(tx, scope);
  for (const gate of due) await PASS[gate.kind](deps, tx, scope, gate, options.get(gate.name));
  tx.afterCommit(() => deps.waiting());
}

type PassGate = (
  deps: GateDeps,
  tx: Transaction,
  scope: ProjectScope,
  gate: Gate,
  options: FlowOptions | undefined,
) => Promise<void>;

const passThrottle: PassGate = async (deps, tx, scope, { gate }, options) => {
  const now = deps.database.now();
  const throttle = options?.throttle;
  const use = (await readGateUses(tx, scope, [{ gate, since: throttle ? now - periodOf(throttle) : now }])).get(gate)!;
  const free = throttle ? Math.max(0, throttle.limit - use.passed) : MAX_PASSING;
  const passing = free === 0 ? [] : await listAtGate(tx, scope, gate, Math.min(free, MAX_PASSING));
  await passOn(tx, scope, passing, options);
  failpoint('handlers.passed');
  if (use.waiting === passing.length) await removeGate(tx, scope, gate);
  else if (!throttle || free > passing.length) await changeDue(tx, scope, gate, now);
  else await changeDue(tx, scope, gate, await nextPass(tx, scope, gate, throttle, { now, passing: passing.length }));
};

/** Lets the last event of a burst go on. */
const passDebounce: PassGate = async (_deps, tx, scope, { gate }, options) => {
  const last = await listAtGate(tx, scope, gate, MAX_PASSING);
  await passCollected(tx, scope, last, options);
  failpoint('handlers.passed');
  await removeGate(tx, scope, gate);
};

/** Makes a batch of the first events, as many as fit. Those that came too late for it begin another one. */
const passBatch: PassGate = async (deps, tx, scope, { gate }, options) => {
  const now = deps.database.now();
  const batch = options?.batch;
  const waiting = await listAtGate(tx, scope, gate, MAX_SIZE + 1);
  const length = batch ? countForBatch(waiting, batch.size) : waiting.length;
  const joined = waiting.slice(0, length);
  if (batch) await joinBatch(tx, scope, joined);
  await passCollected(tx, scope, batch ? joined.slice(0, 1) : joined, options);
  failpoint('handlers.passed');
  const left = waiting.slice(length);
  // More may wait than were read.
  if (waiting.length > MAX_SIZE) await changeDue(tx, scope, gate, now);
  else if (!batch || left.length === 0) await removeGate(tx, scope, gate);
  else {
    const is_full = countForBatch(left, batch.size) < left.length || left.length >= batch.size;
    await changeDue(tx, scope, gate, is_full ? now : now + parseDuration(batch.timeout));
  }
};

/** Returns how many of the first deliveries are one batch: at least one. */
export function countForBatch(deliveries: readonly { bytes?: number }[], size: number): number {
  let bytes = 0;
  const overflow_at = deliveries
    .slice(0, size)
    .findIndex((one, at) => (bytes += one.bytes ?? 0) > MAX_BATCH_BYTES && at > 0);
  return overflow_at < 0 ? Math.min(size, deliveries.length) : overflow_at;
}

const PASS: Readonly<Record<GateKind, PassGate>> = {
  throttle: passThrottle,
  debounce: passDebounce,
  batch: passBatch,
  // A rate limit drops what does not pass, so nothing waits for it.
  rate_limit: async (_deps, tx, scope, { gate }) => removeGate(tx, scope, gate),
};

/** Lets merged deliveries go on: behind those that wait for their throttle, or else to a place or a slot. */
async function passCollected(
  tx: Transaction,
  scope: ProjectScope,
  passing: readonly QueuedDelivery[],
  options: FlowOptions | undefined,
): Promise<void> {
  for (const one of passing) {
    const gate = options?.throttle && throttleGate(one.name, one.event.fields);
    if (gate !== undefined && (await readGates(tx, scope, [gate])).has(gate))
      await changeWaits(tx, scope, [one], { blocked: THROTTLED, gate });
    else await passOn(tx, scope, [one], options);
  }
}

/** Returns when the next delivery may pass, if `passing` ones start now. */
async function nextPass(
  tx: Transaction,
  scope: ProjectScope,
  gate: string,
  throttle: Rate,
  { now, passing }: { now: number; passing: number },
): Promise<number> {
  const before = throttle.limit - passing;
  const last = before <= 0 ? now : ((await readPass(tx, scope, gate, before)) ?? now);
  return last + periodOf(throttle);
}

/** Lets deliveries wait for a place of their handler, or for a slot if it has no concurrency. */
async function passOn(
  tx: Transaction,
  scope: ProjectScope,
  passing: readonly QueuedDelivery[],
  options: FlowOptions | undefined,
): Promise<void> {
  const concurrency = options?.concurrency;
  const groups = Map.groupBy(passing, ({ name, event }) => (concurrency ? admissionId(name, event.fields) : undefined));
  for (const [admission, deliveries] of groups)
    await changeWaits(
      tx,
      scope,
      deliveries,
      admission === undefined ? {} : { admission, max_runs: concurrency!.limit, blocked: BLOCKED },
    );
}

/**
 * Lets deliveries that have a slot, but whose throttle is used up, wait at its gate. Returns the others. Whether a delivery
 * may start is known only here: others may have started while it waited for a place or a slot.
 */
export async function holdThrottled(
  deps: GateDeps,
  tx: Transaction,
  scope: ProjectScope,
  queued: readonly QueuedDelivery[],
): Promise<readonly QueuedDelivery[]> {
  if (!queued.some(({ event }) => THROTTLE_FIELD in event.fields)) return queued;
  const now = deps.database.now();
  const options = await deps.registry.optionsOf(tx, scope);
  const throttles = new Map<string, { name: string; throttle: Rate }>();
  for (const { name, event } of queued) {
    const throttle = options.get(name)?.throttle;
    const gate = throttleGate(name, event.fields);
    if (throttle && gate !== undefined) throttles.set(gate, { name, throttle });
  }
  const since = [...throttles].map(([gate, { throttle }]) => ({ gate, since: now - periodOf(throttle) }));
  const uses = await readGateUses(tx, scope, since);
  const startable: QueuedDelivery[] = [];
  const throttled = new Map<string, QueuedDelivery[]>();
  const passing = new Map<string, number>();
  for (const one of queued) {
    const gate = throttleGate(one.name, one.event.fields) ?? '';
    const limited = throttles.get(gate);
    const use = uses.get(gate);
    if (!limited || !use || use.passed < limited.throttle.limit) {
      startable.push(one);
      if (use) use.passed += 1;
      passing.set(gate, (passing.get(gate) ?? 0) + 1);
    } else throttled.set(gate, [...(throttled.get(gate) ?? []), one]);
  }
  for (const [gate, deliveries] of throttled) {
    await changeWaits(tx, scope, deliveries, { blocked: THROTTLED, gate });
    const { name, throttle } = throttles.get(gate)!;
    await openThrottle(deps, tx, scope, { gate, name, throttle, passing: passing.get(gate) ?? 0 });
  }
  return startable;
}

/** Makes sure that the refiller looks at the gate of a throttle. `passing`: how many start now. */
export async function openThrottle(
  deps: GateDeps,
  tx: Transaction,
  scope: ProjectScope,
  { gate, name, throttle, passing }: { gate: string; name: string; throttle: Rate; passing: number },
): Promise<void> {
  if ((await readGates(tx, scope, [gate])).has(gate)) return;
  const now = deps.database.now();
  const due_at = await nextPass(tx, scope, gate, throttle, { now, passing });
  const kind: GateKind = 'throttle';
  await insertGate(tx, scope, { gate, name, kind, opened_at: now, due_at });
  tx.afterCommit(() => deps.waiting());
}

/** Records which deliveries of handlers with a throttle have started. */
export async function recordPasses(
  deps: GateDeps,
  tx: Transaction,
  scope: ProjectScope,
  starts: readonly (HandlerStart & { event_seq: number })[],
  deliveries: readonly Delivery[],
): Promise<void> {
  const started = starts.filter(
    ({ event }, at) => deliveries[at]?.state === 'delivered' && THROTTLE_FIELD in event.fields,
  );
  if (started.length === 0) return;
  const options = await deps.registry.optionsOf(tx, scope);
  const passes = started.flatMap(({ name, event, event_seq }) => {
    const throttle = options.get(name)?.throttle;
    const gate = throttleGate(name, event.fields);
    return throttle && gate !== undefined ? [{ gate, event_seq, period_ms: periodOf(throttle) }] : [];
  });
  await insertPasses(tx, scope, passes, deps.database.now());
}
