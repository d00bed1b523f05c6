import { type Transaction, extensionPoint, token } from '../../../kernel/contracts/index.ts';
import type { ArmWait, WaitOutcome } from './journal.ts';
import type { Json, SubstateKind, Trigger } from './run.ts';
import type { NewRun } from './store.ts';

/** Where a verb runs inside the engine's transaction. */
export interface ActivityContext {
  org_id: string;
  project_id: string;
  run_id: string;
  activity_id: string;
  subject: string | null;
  generation: number;
  trusted: boolean;
}

/** A verb that does database work and is recorded with it: `state`, `emit`, `spawn`, `activity-submit`. */
export interface JournaledVerb {
  kind: string;
  /**
   * Before the transaction, for what must not happen inside one: checks that start processes, keys that are loaded. Its
   * answer is handed to `perform`. Throws ServiceError to refuse.
   */
  prepare?(context: ActivityContext, args: Json): Promise<unknown>;
  /** Inside the transaction; may run again after a deadlock. Throws ServiceError to refuse: nothing is recorded. */
  perform(tx: Transaction, context: CallContext, args: Json, prepared: unknown): Promise<WaitOutcome>;
}

/** The call that is being recorded. */
export interface CallContext extends ActivityContext {
  position: number;
}

/** Names an armed wait. */
export interface WaitRef {
  run_id: string;
  activity_id: string;
  position: number;
}

/** A wait whose time is over. */
export interface ExpiredWait extends WaitRef {
  org_id: string;
  project_id: string;
  name: string;
  args: Json;
  /** By the database's clock. */
  armed_at: number;
}

/** A thing an activity can wait for. */
export interface WaitKind {
  kind: string;
  substate: SubstateKind;
  /** The signal queue that ends this wait, for kinds that a signal can end; the signal's payload is the outcome. */
  signal?(context: ActivityContext, wait: ArmWait): string;
  /** The outcome when it is there already; inside the parking transaction, which holds the run's row. */
  tryResolve(tx: Transaction, context: ActivityContext, wait: ArmWait): Promise<WaitOutcome | undefined>;
  /** After the wait was armed, in the parking transaction: registers it wherever its event will look for it. */
  arm?(tx: Transaction, context: ActivityContext, wait: ArmWait): Promise<void>;
  /** An outcome that was decided before the time was over and is only not written yet. In the expiring transaction. */
  late?(tx: Transaction, wait: ExpiredWait): Promise<WaitOutcome | undefined>;
  /** The outcome when `timeout_ms` has passed. */
  expire(wait: ExpiredWait, tx: Transaction): WaitOutcome | Promise<WaitOutcome>;
  /** Waits of this kind that have ended in this transaction, however: what `arm` registered is to be removed. */
  ended?(tx: Transaction, waits: readonly WaitRef[]): Promise<void>;
}

/** Resolves armed waits from outside the engine (signals; later the bus, leases and children). */
export interface WaitResolver {
  /** Armed → resolved with this outcome, the record written and the activity pending again; false when another outcome won. */
  resolve(
    tx: Transaction,
    wait: { run_id: string; activity_id: string; position: number },
    outcome: WaitOutcome,
  ): Promise<boolean>;
  /** The same for many, in few statements; answers those that this ended. */
  resolveAll(
    tx: Transaction,
    waits: readonly WaitRef[],
    outcome: (wait: WaitRef) => WaitOutcome,
  ): Promise<readonly WaitRef[]>;
}

/** Hears of run transitions inside the transaction that makes them: the bus, metrics, parents. */
export interface RunObserver {
  name: string;
  /** Runs of any projects, in the order of their ids. */
  onTransitions(tx: Transaction, runs: readonly RunTransition[]): Promise<void>;
}

/** Hears, inside the transaction that makes them, of runs that were submitted; of none twice. */
export interface SubmitObserver {
  name: string;
  onSubmitted(tx: Transaction, runs: readonly NewRun[]): Promise<void>;
}

export interface RunTransition {
  type: 'run.started' | 'run.succeeded' | 'run.failed' | 'run.cancelled';
  org_id: string;
  project_id: string;
  run_id: string;
  subject: string | null;
  generation: number;
  trusted: boolean;
  trigger: Trigger;
  /** The lifecycle payload of the specification, already bounded to 4000 code points where it says so. */
  payload: { [key: string]: Json };
}

export const WaitKinds = extensionPoint<WaitKind>('runs.WaitKinds', { key: (kind) => kind.kind });
export const JournaledVerbs = extensionPoint<JournaledVerb>('runs.JournaledVerbs', { key: (verb) => verb.kind });
export const RunObservers = extensionPoint<RunObserver>('runs.RunObservers', { key: (observer) => observer.name });
export const SubmitObservers = extensionPoint<SubmitObserver>('runs.SubmitObservers', {
  key: (observer) => observer.name,
});

/** Reads envelopes that runs only refer to, when their work is handed out. */
export interface EnvelopeSource {
  /** First part of the reference: `bus` of `bus:evt_…`. */
  scheme: string;
  /** Throws when there is none any more: the run fails with that. */
  read(
    scope: { org_id: string; project_id: string },
    reference: string,
  ): Promise<{ type: string; [key: string]: Json }>;
}

export const EnvelopeSources = extensionPoint<EnvelopeSource>('runs.EnvelopeSources', { key: ({ scheme }) => scheme });

/** Queued signals, for waits of other plugins that a signal can end too. */
export interface SignalQueue {
  /** Takes the oldest queued signal of a name, in the parking transaction; undefined when there is none. */
  take(tx: Transaction, context: ActivityContext, name: string, position: number): Promise<WaitOutcome | undefined>;
}

export const SignalQueue = token<SignalQueue>('runs.SignalQueue');

export const WaitResolver = token<WaitResolver>('runs.WaitResolver');
