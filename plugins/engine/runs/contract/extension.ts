import { type Queries, type Transaction, extensionPoint, token } from '../../../../kernel/contracts/index.ts';
import type { ArmWait, WaitOutcome } from './journal.ts';
import type { Json, SubstateKind, Trigger } from './run.ts';
import type { NewRun } from './store.ts';

/** The activity of a verb, inside the engine's transaction. */
export interface ActivityContext {
  org_id: string;
  project_id: string;
  run_id: string;
  activity_id: string;
  subject: string | null;
  generation: number;
  trusted: boolean;
  /** Somebody has paused the run: the runs that it calls begin paused. */
  paused?: boolean;
  /** Of the run: 0 (the default) to 9. */
  priority?: number;
}

/**
 * A verb that does database work and is recorded in the same transaction: `state`, `emit`, `spawn`, `activity-submit`.
 */
export interface JournaledVerb {
  kind: string;
  /**
   * Called before the transaction, for work that must not be inside one: starting processes, loading keys. Its result
   * is passed to `perform`. Throws ServiceError to refuse. `fresh` tells within a transaction whether the claim still
   * holds (else it throws `lease_lost`) and the call has no record yet.
   */
  prepare?(context: CallContext, args: Json, fresh: (tx: Transaction) => Promise<boolean>): Promise<unknown>;
  /**
   * Called inside the transaction; may run again after a deadlock. Throws ServiceError to refuse: then nothing is
   * recorded.
   */
  perform(tx: Transaction, context: CallContext, args: Json, prepared: unknown): Promise<WaitOutcome>;
}

/** The call that is being recorded. */
export interface CallContext extends ActivityContext {
  position: number;
}

/** Identifies an armed wait. */
export interface WaitRef {
  run_id: string;
  activity_id: string;
  position: number;
}

/** A wait that has timed out. */
export interface ExpiredWait extends WaitRef {
  org_id: string;
  project_id: string;
  name: string;
  args: Json;
  /** By the database's clock. */
  armed_at: number;
}

/** Something that an activity can wait for. */
export interface WaitKind {
  kind: string;
  substate: SubstateKind;
  /** Its end is no outcome of the call: nothing is recorded, and the call is made again at the same position. */
  pause?: true;
  /** The signal queue that can end this wait; the signal's payload is then the outcome. */
  signal?(context: ActivityContext, wait: ArmWait): string;
  /**
   * Called before the parking transaction, for work that must not be inside one. Its result is passed to `tryResolve`,
   * and the arguments are not kept with the wait. Throws ServiceError to refuse. Not called when a coordinator waits.
   */
  prepare?(context: ActivityContext, wait: ArmWait): Promise<unknown>;
  /** The outcome if it is available already. Called in the parking transaction, which holds the run's row. */
  tryResolve(
    tx: Transaction,
    context: ActivityContext,
    wait: ArmWait,
    prepared?: unknown,
  ): Promise<WaitOutcome | undefined>;
  /** Called in the parking transaction after the wait was armed: registers it where its event looks for it. */
  arm?(tx: Transaction, context: ActivityContext, wait: ArmWait): Promise<void>;
  /** An outcome that was decided before the timeout and is not written yet. Called in the expiring transaction. */
  late?(tx: Transaction, wait: ExpiredWait): Promise<WaitOutcome | undefined>;
  /**
   * The waits of which the first that ends, ends this one. Each becomes an activity without an agent, a child of the one that
   * waits. When this wait ends in any way, those that are left are cancelled.
   */
  readonly firstOf?: {
    branches(wait: ArmWait): readonly WaitBranch[];
    /** The outcome of this wait when a branch has ended. */
    outcomeOf(branch: string, outcome: WaitOutcome): WaitOutcome;
  };
  /** The outcome after `timeout_ms`. */
  expire(wait: ExpiredWait, tx: Transaction): WaitOutcome | Promise<WaitOutcome>;
  /** Waits of this kind that have ended in this transaction in any way: removes what `arm` registered. */
  ended?(tx: Transaction, waits: readonly WaitRef[]): Promise<void>;
}

/** One of several waits, of which the first ends the call. */
export interface WaitBranch {
  /** The name of its activity, unique within the call. */
  name: string;
  wait: Pick<ArmWait, 'kind' | 'name' | 'args' | 'timeout_ms'>;
}

/** Resolves armed waits from outside of the engine: signals, events, leases, children. */
export interface WaitResolver {
  /**
   * Armed → resolved with this outcome. Writes the record and makes the activity pending. False when another outcome
   * was first.
   */
  resolve(
    tx: Transaction,
    wait: { run_id: string; activity_id: string; position: number },
    outcome: WaitOutcome,
  ): Promise<boolean>;
  /** The same for many, in few statements. Answers the waits that this call ended. */
  resolveAll(
    tx: Transaction,
    waits: readonly WaitRef[],
    outcome: (wait: WaitRef) => WaitOutcome,
  ): Promise<readonly WaitRef[]>;
}

/** Called in the transaction of a run transition: for the bus, metrics, parents. */
export interface RunObserver {
  name: string;
  /** Runs of any projects, in order of their ids. */
  onTransitions(tx: Transaction, runs: readonly RunTransition[]): Promise<void>;
}

/** Called once for each submitted run, in the transaction that creates it. */
export interface SubmitObserver {
  name: string;
  onSubmitted(tx: Transaction, runs: readonly NewRun[]): Promise<void>;
  /** Called once after a submit has written all of its runs, for what was left to be done together. */
  onWritten?(tx: Transaction): Promise<void>;
}

/** A run with what it does now. */
export interface RunWork {
  run_id: string;
  org_id: string;
  project_id: string;
  /** It is queued, or something of it is: an activity waits for an agent, or an agent carries it out. */
  working: boolean;
}

/**
 * Called in the transaction in which a run that has started begins to wait with everything that it does, or goes on; also when
 * it has gone on already. Not called at the start and the end of a run.
 */
export interface WorkObserver {
  name: string;
  /** Selects the runs that it receives, by what started them: `handler:<name>`, `schedule:<name>` or null. */
  concerns(starter: string | null): boolean;
  /** Runs of any projects. Called last in the transition of a run, after everything else that it locks. */
  onWork(tx: Transaction, runs: readonly RunWork[]): Promise<void>;
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
  /** The run's span, for what comes of this, as `encodeTrace` writes it; null: nobody traces. */
  trace: string | null;
  /** The lifecycle payload of the specification, with texts cut to 4000 code points where the specification says so. */
  payload: { [key: string]: Json };
}

export const WaitKinds = extensionPoint<WaitKind>('runs.WaitKinds', { key: (kind) => kind.kind });
export const JournaledVerbs = extensionPoint<JournaledVerb>('runs.JournaledVerbs', { key: (verb) => verb.kind });
export const RunObservers = extensionPoint<RunObserver>('runs.RunObservers', { key: (observer) => observer.name });
export const WorkObservers = extensionPoint<WorkObserver>('runs.WorkObservers', { key: (observer) => observer.name });
export const SubmitObservers = extensionPoint<SubmitObserver>('runs.SubmitObservers', {
  key: (observer) => observer.name,
});

/** Reads envelopes that runs store as references, when their work is claimed. */
export interface EnvelopeSource {
  /** The first part of the reference: `bus` of `bus:evt_…`. */
  scheme: string;
  /**
   * Throws when it no longer exists: the run fails with that error. In a transaction `on` is that transaction,
   * and the org's keys are ready.
   */
  read(
    scope: { org_id: string; project_id: string },
    reference: string,
    on?: Pick<Queries, 'read'>,
  ): Promise<{ type: string; [key: string]: Json }>;
}

export const EnvelopeSources = extensionPoint<EnvelopeSource>('runs.EnvelopeSources', { key: ({ scheme }) => scheme });

/** Queued signals, for waits of other plugins that a signal can end. */
export interface SignalQueue {
  /** Takes the oldest queued signal of a name in the parking transaction; undefined when there is none. */
  take(tx: Transaction, context: ActivityContext, name: string, position: number): Promise<WaitOutcome | undefined>;
}

export const SignalQueue = token<SignalQueue>('runs.SignalQueue');

export const WaitResolver = token<WaitResolver>('runs.WaitResolver');
