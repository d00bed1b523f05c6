import { type Transaction, extensionPoint, token } from '../../../kernel/contracts/index.ts';
import type { ArmWait, WaitOutcome } from './journal.ts';
import type { Json, SubstateKind } from './run.ts';

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

/** A verb that does database work and is recorded with it: `state`; later `emit`, `spawn`, `activity-submit`. */
export interface JournaledVerb {
  kind: string;
  /** Inside the transaction; may run again after a deadlock. Throws ServiceError to refuse: nothing is recorded. */
  perform(tx: Transaction, context: ActivityContext, args: Json): Promise<WaitOutcome>;
}

/** A thing an activity can wait for. */
export interface WaitKind {
  kind: string;
  substate: SubstateKind;
  /** The signal queue that ends this wait, for kinds that a signal can end; the signal's payload is the outcome. */
  signal?(context: ActivityContext, wait: ArmWait): string;
  /** The outcome when it is there already; inside the parking transaction, which holds the run's row. */
  tryResolve(tx: Transaction, context: ActivityContext, wait: ArmWait): Promise<WaitOutcome | undefined>;
  /** The outcome when `timeout_ms` has passed. */
  expire(wait: { name: string; args: Json }): WaitOutcome;
}

/** Resolves armed waits from outside the engine (signals; later the bus, leases and children). */
export interface WaitResolver {
  /** Armed → resolved with this outcome, the record written and the activity pending again; false when another outcome won. */
  resolve(
    tx: Transaction,
    wait: { run_id: string; activity_id: string; position: number },
    outcome: WaitOutcome,
  ): Promise<boolean>;
}

/** Hears of run transitions inside the transaction that makes them: the bus, metrics, parents. */
export interface RunObserver {
  name: string;
  onTransition(tx: Transaction, run: RunTransition): Promise<void>;
}

export interface RunTransition {
  type: 'run.started' | 'run.succeeded' | 'run.failed' | 'run.cancelled';
  org_id: string;
  project_id: string;
  run_id: string;
  subject: string | null;
  generation: number;
  trusted: boolean;
  /** The lifecycle payload of the specification, already bounded to 4000 code points where it says so. */
  payload: { [key: string]: Json };
}

export const WaitKinds = extensionPoint<WaitKind>('runs.WaitKinds', { key: (kind) => kind.kind });
export const JournaledVerbs = extensionPoint<JournaledVerb>('runs.JournaledVerbs', { key: (verb) => verb.kind });
export const RunObservers = extensionPoint<RunObserver>('runs.RunObservers', { key: (observer) => observer.name });

export const WaitResolver = token<WaitResolver>('runs.WaitResolver');
