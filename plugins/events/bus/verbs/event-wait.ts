import type { Database, Expressions, Sealer, Transaction } from '../../../../kernel/contracts/index.ts';
import type { RunMasks } from '../../../security/masking/contract.ts';
import type {
  ActivityContext,
  ArmWait,
  ExpiredWait,
  Json,
  SignalQueue,
  WaitKind,
  WaitOutcome,
} from '../../../engine/runs/contract.ts';
import { envelopeOf, type EventWaitArgs, type ProjectScope, type StoredEvent } from '../contract.ts';
import { pickWaitValues, predicateRoots } from '../contract/wait-values.ts';
import { type Equalities, findEqualities } from '../domain/equalities.ts';
import { assertEventType } from '../domain/event-rules.ts';
import { expiryMessage } from '../domain/near-misses.ts';
import { readEvent } from '../store/event-rows.ts';
import type { Bus } from '../service/bus.ts';
import { lockArmPosition } from '../store/arm-position.ts';
import { inheritMasks } from '../store/emitters.ts';
import { sealEqualities } from '../store/equalities.ts';
import { listNearMisses } from '../store/near-misses.ts';
import { insertWait, lockWait, type NewWait, removeArmed, completeWaits } from '../store/waits.ts';

export interface WaitKindDeps {
  database: Pick<Database, 'now'>;
  sealer: Sealer;
  signals: SignalQueue;
  masks: Pick<RunMasks, 'inherit'>;
  /** A wait sees no earlier event of its own transaction. */
  bus: Pick<Bus, 'recordBuffered'>;
  expressions(): Expressions;
}

/** The output of an event wait is the complete envelope. */
export const eventOutcome = (event: StoredEvent): WaitOutcome => ({
  exit_code: 0,
  output: Buffer.from(`${JSON.stringify(envelopeOf(event))}\n`),
});

export const unreadableOutcome = (event_id: string, reason: string): WaitOutcome => ({
  exit_code: 1,
  output: Buffer.alloc(0),
  message: `the event ${event_id} cannot be read: ${reason}`,
});

/**
 * Implements `svc wait-event <type>`: waits for the next event of the type, narrowed by the run's subject. A signal
 * can end it too. It is armed at the current end of the bus and never sees earlier events.
 */
export function eventWaitKind(deps: WaitKindDeps): WaitKind {
  return {
    kind: 'wait-event',
    substate: 'event',
    signal: signalOf,
    tryResolve: (tx, context, wait) => {
      assertEventType(wait.name, '/name');
      return deps.signals.take(tx, context, signalOf(context, wait), wait.position);
    },
    arm: (tx, context, wait) => arm(tx, deps, context, wait),
    late: (tx, wait) => resolveLate(tx, deps, wait),
    async expire(wait, tx) {
      const message = expiryMessage(wait.name, await listNearMisses(tx, wait));
      return { exit_code: 124, output: Buffer.alloc(0), message };
    },
    // Fired rows stay: the deliverer finds that the wait has ended and records that with the event.
    ended: removeArmed,
  };
}

/** Returns `event:<type>:<activity>`, or the signal named in the arguments. */
const signalOf = (context: ActivityContext, wait: ArmWait): string =>
  parseArgs(wait).signal ?? `event:${wait.name}:${context.activity_id}`;

function parseArgs({ args }: { args: Json }): EventWaitArgs {
  if (args === null || typeof args !== 'object' || Array.isArray(args)) return {};
  const { when, values, vars, signal, untrusted } = args;
  return {
    when: typeof when === 'string' ? when : undefined,
    values: toMembers(values),
    vars: toMembers(vars),
    signal: typeof signal === 'string' && signal !== '' ? signal : undefined,
    untrusted: untrusted === true,
  };
}

const toMembers = (value: Json | undefined): { [name: string]: Json } | undefined =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? value : undefined;

/**
 * Returns the predicate of a wait as it is stored, and what it demands of events. One that reads values, or that a script
 * has written, may contain what nobody but the run may see, so it is sealed.
 */
function toPredicate(
  deps: WaitKindDeps,
  { run_id, subject }: ActivityContext,
  { when, values, vars }: EventWaitArgs,
): { predicate: NewWait['predicate']; equalities?: Equalities | undefined } {
  if (when === undefined) return { predicate: null };
  const expressions = deps.expressions();
  if (vars === undefined) {
    const compiled = expressions.compile(when, predicateRoots(values));
    const predicate = values === undefined ? when : { when, values };
    return { predicate, equalities: findEqualities(compiled, values) };
  }
  const scope = { vars, run: { id: run_id, subject } };
  const compiled = expressions.compile(when, predicateRoots(scope));
  const picked = pickWaitValues(expressions, when, scope) ?? {};
  return { predicate: { when, values: picked }, equalities: findEqualities(compiled, picked) };
}

async function arm(tx: Transaction, deps: WaitKindDeps, context: ActivityContext, wait: ArmWait): Promise<void> {
  const { org_id, project_id, run_id, activity_id, subject, trusted } = context;
  const args = parseArgs(wait);
  const { predicate, equalities } = toPredicate(deps, context, args);
  await deps.bus.recordBuffered(tx);
  const { seq, skips } = await lockArmPosition(tx, project_id, [wait.name]);
  const armed = { run_id, activity_id, position: wait.position, org_id, project_id, type: wait.name };
  await insertWait(tx, deps.sealer, {
    ...armed,
    subject,
    predicate,
    equality: equalities ? sealEqualities(deps.sealer, armed, equalities) : null,
    armed_seq: seq,
    skips: skips.get(wait.name) ?? null,
    armed_at: deps.database.now(),
    takes_untrusted: args.untrusted === true || !trusted,
  });
}

/** Ends a wait at its timeout with an event that arrived in time but was not delivered yet. */
async function resolveLate(tx: Transaction, deps: WaitKindDeps, wait: ExpiredWait): Promise<WaitOutcome | undefined> {
  const row = await lockWait(tx, wait);
  if (row?.state !== 'fired' || row.event_id === null) return undefined;
  await completeWaits(tx, [wait], 'delivered');
  await inheritMasks(tx, deps.masks, [{ ...row, run_id: wait.run_id, event_id: row.event_id }]);
  return readOutcome(tx, deps.sealer, row, row.event_id);
}

async function readOutcome(
  tx: Transaction,
  sealer: Sealer,
  scope: ProjectScope,
  event_id: string,
): Promise<WaitOutcome> {
  const event = await readEvent(tx, sealer, scope, event_id);
  return event ? eventOutcome(event) : unreadableOutcome(event_id, 'the event is no longer stored');
}
