import type { Transaction } from '../../../../kernel/contracts/index.ts';
import type { Delivery, ProjectScope } from '../../bus/contract.ts';
import { admissionId, blockedReason } from '../domain/concurrency.ts';
import type { Flow } from '../domain/flow.ts';
import { BLOCKED, dropReason, periodOf, rateGate, THROTTLED, throttleGate, throttleReason } from '../domain/gates.ts';
import { countAdmitted } from '../store/admissions.ts';
import { addCounts } from '../store/counts.ts';
import { insertPasses, type Pass, readGateUses } from '../store/gates.ts';
import type { QueueWait } from '../store/queue.ts';
import { type CollectDeps, collect } from './collecting.ts';
import { type GateDeps, openThrottle } from './gates.ts';
import type { HandlerStart } from './starter.ts';

/** A start that a handler has decided on, with the handler's options. */
export interface Start extends HandlerStart {
  event_seq: number;
  /** When its event was recorded. */
  came_at: number;
  flow?: Flow;
  waits?: QueueWait;
  /** The size of its payload, if it may be part of a batch. */
  bytes?: number;
}

/** What the options of handlers do to the starts of new events. */
export interface Admitted {
  /** They wait for nothing but a slot. */
  free: Start[];
  /** They wait, with the reason. */
  waiting: { start: Start; reason: string }[];
  dropped: Delivery[];
}

/**
 * Applies the options of handlers to new starts: first what drops or merges events, then what
 * waits for a time, then what waits for a place.
 * Deliveries that wait already come first.
 */
export async function admit(
  deps: CollectDeps,
  tx: Transaction,
  scope: ProjectScope,
  starts: readonly Start[],
): Promise<Admitted> {
  if (starts.every(({ flow }) => flow === undefined)) return { free: [...starts], waiting: [], dropped: [] };
  const dropped: Delivery[] = [];
  const waiting: Admitted['waiting'] = [];
  const accepted = await dropExcess(deps, tx, scope, starts, dropped);
  const single = await collect(deps, tx, scope, accepted, { dropped, waiting });
  const paced = await splitByThrottle(deps, tx, scope, single, waiting);
  return { free: await splitByLimit(tx, scope, paced, waiting), waiting, dropped };
}

/** Drops what a handler takes no more of, and records what it takes. */
async function dropExcess(
  { database }: GateDeps,
  tx: Transaction,
  scope: ProjectScope,
  starts: readonly Start[],
  dropped: Delivery[],
): Promise<Start[]> {
  const gates = new Map<string, number>();
  for (const start of starts) {
    const gate = rateGateOf(start);
    if (gate !== undefined) gates.set(gate, database.now() - periodOf(start.flow!.options.rate_limit!));
  }
  if (gates.size === 0) return [...starts];
  const uses = await readGateUses(
    tx,
    scope,
    [...gates].map(([gate, since]) => ({ gate, since })),
  );
  const passes: Pass[] = [];
  const accepted: Start[] = [];
  for (const start of starts) {
    const { name, event, event_seq, flow } = start;
    const gate = rateGateOf(start);
    const rate = flow?.options.rate_limit;
    if (gate === undefined || !rate) {
      accepted.push(start);
      continue;
    }
    const use = uses.get(gate)!;
    if (use.passed >= rate.limit) {
      const reason = dropReason(rate, flow!.keys.rate_limit!);
      dropped.push({ event_id: event.event_id, reaction: 'handler', name, state: 'declined', reason });
      continue;
    }
    use.passed += 1;
    passes.push({ gate, event_seq, period_ms: periodOf(rate) });
    accepted.push(start);
  }
  await insertPasses(tx, scope, passes, database.now());
  const counts = dropped.map(({ name }) => ({ name, kind: 'dropped' as const }));
  await addCounts(tx, scope, counts, database.now());
  return accepted;
}

const rateGateOf = ({ name, event, flow }: Start): string | undefined =>
  flow?.options.rate_limit && rateGate(name, flow.keys.rate_limit!, event.trusted);

/** Lets starts wait whose throttle is used up, or behind others that wait for it. */
async function splitByThrottle(
  deps: GateDeps,
  tx: Transaction,
  scope: ProjectScope,
  starts: readonly Start[],
  waiting: Admitted['waiting'],
): Promise<Start[]> {
  const gates = new Map<string, number>();
  for (const { name, event, flow } of starts)
    if (flow?.options.throttle)
      gates.set(throttleGate(name, event.fields)!, deps.database.now() - periodOf(flow.options.throttle));
  if (gates.size === 0) return [...starts];
  const uses = await readGateUses(
    tx,
    scope,
    [...gates].map(([gate, since]) => ({ gate, since })),
  );
  const free: Start[] = [];
  const passing = new Map<string, number>();
  for (const start of trustedFirst(starts)) {
    const { name, event, flow } = start;
    const throttle = flow?.options.throttle;
    if (!throttle) {
      free.push(start);
      continue;
    }
    const gate = throttleGate(name, event.fields)!;
    const use = uses.get(gate)!;
    const count = passing.get(gate) ?? 0;
    if (use.waiting === 0 && use.passed + count < throttle.limit) {
      free.push(start);
      passing.set(gate, count + 1);
      continue;
    }
    if (use.waiting === 0) await openThrottle(deps, tx, scope, { gate, name, throttle, passing: count });
    use.waiting += 1;
    const reason = throttleReason(throttle, flow!.keys.throttle!);
    waiting.push({ start: { ...start, waits: { blocked: THROTTLED, gate } }, reason });
  }
  return free;
}

/** Of the starts of one batch of events, trusted ones take places before untrusted ones. */
const trustedFirst = (starts: readonly Start[]): Start[] => [
  ...starts.filter(({ event }) => event.trusted),
  ...starts.filter(({ event }) => !event.trusted),
];

/** Lets starts wait whose handler has no free place. */
async function splitByLimit(
  tx: Transaction,
  scope: ProjectScope,
  starts: readonly Start[],
  waiting: Admitted['waiting'],
): Promise<Start[]> {
  const limited = starts.flatMap(({ name, event, flow }) =>
    flow?.options.concurrency ? [admissionId(name, event.fields)!] : [],
  );
  if (limited.length === 0) return [...starts];
  const used = await countAdmitted(tx, scope, [...new Set(limited)]);
  const free: Start[] = [];
  for (const start of trustedFirst(starts)) {
    const { name, event, flow } = start;
    const concurrency = flow?.options.concurrency;
    if (!concurrency) {
      free.push(start);
      continue;
    }
    const admission = admissionId(name, event.fields)!;
    const in_use = used.get(admission) ?? { trusted: 0, untrusted: 0 };
    const count = event.trusted ? in_use.trusted : in_use.untrusted;
    used.set(admission, { trusted: in_use.trusted + 1, untrusted: in_use.untrusted + 1 });
    const waits = { admission, max_runs: concurrency.limit };
    if (count < concurrency.limit) free.push({ ...start, waits });
    else
      waiting.push({
        start: { ...start, waits: { ...waits, blocked: BLOCKED } },
        reason: blockedReason(concurrency, flow!.keys.concurrency!),
      });
  }
  return free;
}
