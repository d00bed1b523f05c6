import type { Database, Expressions, Sealer, Transaction } from '../../../kernel/contracts/index.ts';
import type { RunMasks } from '../../masking/contract.ts';
import type {
  ActivityContext,
  ArmWait,
  ExpiredWait,
  Json,
  SignalQueue,
  WaitKind,
  WaitOutcome,
} from '../../runs/contract.ts';
import { envelopeOf, type EventWaitArgs, PREDICATE_ROOTS, type ProjectScope, type StoredEvent } from '../contract.ts';
import { checkType } from '../domain/event-rules.ts';
import { expiryMessage } from '../domain/near-misses.ts';
import { readEvent } from '../store/event-rows.ts';
import type { Bus } from '../service/bus.ts';
import { armAt } from '../store/arming.ts';
import { inheritMasks } from '../store/emitters.ts';
import { nearMisses } from '../store/near-misses.ts';
import { insertWait, lockWait, removeArmed, settleWaits } from '../store/waits.ts';

export interface WaitKindParts {
  database: Pick<Database, 'now'>;
  sealer: Sealer;
  signals: SignalQueue;
  masks: Pick<RunMasks, 'inherit'>;
  /** A wait sees no earlier event of its own transaction. */
  bus: Pick<Bus, 'recordHeld'>;
  expressions(): Expressions;
}

/** The output of an event wait: the complete envelope. */
export const outcomeOf = (event: StoredEvent): WaitOutcome => ({
  exit_code: 0,
  output: Buffer.from(`${JSON.stringify(envelopeOf(event))}\n`),
});

export const goneOutcome = (event_id: string, why: string): WaitOutcome => ({
  exit_code: 1,
  output: Buffer.alloc(0),
  message: `the event ${event_id} cannot be read: ${why}`,
});

/**
 * `svc wait-event <type>`: the next event of the type, narrowed by the run's subject. A signal can end it too. It is
 * armed at the present end of the bus and never sees earlier events.
 */
export function eventWaitKind(parts: WaitKindParts): WaitKind {
  return {
    kind: 'wait-event',
    substate: 'event',
    signal: signalOf,
    tryResolve: (tx, context, wait) => {
      checkType(wait.name, '/name');
      return parts.signals.take(tx, context, signalOf(context, wait), wait.position);
    },
    arm: (tx, context, wait) => arm(tx, parts, context, wait),
    late: (tx, wait) => late(tx, parts, wait),
    async expire(wait, tx) {
      const message = expiryMessage(wait.name, await nearMisses(tx, wait));
      return { exit_code: 124, output: Buffer.alloc(0), message };
    },
    // Fired rows stay: the deliverer finds that the wait has ended, and records that with the event.
    ended: removeArmed,
  };
}

/** `event:<type>:<activity>`, or a name given by its owner. */
const signalOf = (context: ActivityContext, wait: ArmWait): string =>
  argsOf(wait).signal ?? `event:${wait.name}:${context.activity_id}`;

function argsOf({ args }: { args: Json }): EventWaitArgs {
  if (args === null || typeof args !== 'object' || Array.isArray(args)) return {};
  const { when, signal, untrusted } = args;
  return {
    ...(typeof when === 'string' ? { when } : {}),
    ...(typeof signal === 'string' && signal !== '' ? { signal } : {}),
    ...(untrusted === true ? { untrusted } : {}),
  };
}

async function arm(tx: Transaction, parts: WaitKindParts, context: ActivityContext, wait: ArmWait): Promise<void> {
  const { org_id, project_id, run_id, activity_id, subject, trusted } = context;
  const { when, untrusted = false } = argsOf(wait);
  if (when !== undefined) parts.expressions().compile(when, PREDICATE_ROOTS);
  await parts.bus.recordHeld(tx);
  const { seq, skips } = await armAt(tx, project_id, [wait.name]);
  await insertWait(tx, {
    run_id,
    activity_id,
    position: wait.position,
    org_id,
    project_id,
    type: wait.name,
    subject,
    predicate: when ?? null,
    armed_seq: seq,
    skips: skips.get(wait.name) ?? null,
    armed_at: parts.database.now(),
    takes_untrusted: untrusted || !trusted,
  });
}

/** The event came in time; only its delivery is late. */
async function late(tx: Transaction, parts: WaitKindParts, wait: ExpiredWait): Promise<WaitOutcome | undefined> {
  const row = await lockWait(tx, wait);
  if (row?.state !== 'fired' || row.event_id === null) return undefined;
  await settleWaits(tx, [wait], 'delivered');
  await inheritMasks(tx, parts.masks, [{ ...row, run_id: wait.run_id, event_id: row.event_id }]);
  return readOutcome(tx, parts.sealer, row, row.event_id);
}

async function readOutcome(
  tx: Transaction,
  sealer: Sealer,
  scope: ProjectScope,
  event_id: string,
): Promise<WaitOutcome> {
  const event = await readEvent(tx, sealer, scope, event_id);
  return event ? outcomeOf(event) : goneOutcome(event_id, 'the event is no longer stored');
}
