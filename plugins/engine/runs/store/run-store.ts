import type { Transaction } from '../../../../kernel/contracts/index.ts';
import type {
  Capabilities,
  ClaimRef,
  Completion,
  JournalRecord,
  LogChunk,
  NewRun,
  SubmitRun,
  WaitOutcome,
  WaitRef,
} from '../contract.ts';
import { Claims } from './claim/claim.ts';
import { EagerClaimers } from './claim/eager.ts';
import { expireClaims, readSlotUses, releaseClaim, releaseUnnamed, renewClaims } from './claim/leases.ts';
import { removeIdleLanes } from './claim/queues.ts';
import { cancelRun, cancelRuns, endOverdue } from './end/cancel.ts';
import { completeActivity, Completions } from './end/complete.ts';
import { advanceRun } from './end/end-run.ts';
import { pauseCalled, pauseRun, resumeRun } from './pause/pause.ts';
import { JournalAppends } from './journal/append.ts';
import { recordAttempt } from './journal/attempt.ts';
import { performCall } from './journal/perform.ts';
import { annotate, LogAppends } from './journal/report.ts';
import type { StoreContext } from './rows/context.ts';
import { RunSubmitter } from './submit/submit.ts';
import { parkActivity } from './wait/park.ts';
import { sendSignal } from './wait/signal.ts';
import { resolveDue, resolveWaits } from './wait/wake.ts';

export interface RunStoreOptions extends Omit<StoreContext, 'eager'> {
  /** Counts an activity that was claimed in the transaction that made it claimable. */
  onEagerClaim(): void;
}

/** `RunStore`, and what the engine itself needs of its transitions. */
export type RunTransitions = ReturnType<typeof createRunStore>;

/**
 * The engine's store on any database of the kernel's contract; correct with any number of processes on one database.
 * Locks are taken in one order: runs, activities, then everything else, each by id. It uses only the database's clock,
 * and answers only after the commit.
 */
export function createRunStore({ onEagerClaim, ...options }: RunStoreOptions) {
  const eager = new EagerClaimers({
    clock: options.clock,
    onClaimed: onEagerClaim,
    load: (claim) => claims.load(claim),
  });
  const store: StoreContext = { ...options, eager };
  const submitter = new RunSubmitter(store);
  const completions = new Completions(store);
  const claims = new Claims(store, completions);
  const appends = new JournalAppends(store);
  const logs = new LogAppends(store);
  return {
    ...bindAll(store, {
      slotUsesOf: readSlotUses,
      renew: renewClaims,
      release: releaseClaim,
      releaseAllBut: releaseUnnamed,
      expireClaims,
      perform: performCall,
      park: parkActivity,
      attempt: recordAttempt,
      annotate,
      sendSignal,
      resolveDue,
      cancelRun,
      cancelRuns,
      pauseRun,
      resumeRun,
      pauseCalled,
      endOverdue,
      advance: advanceRun,
    }),
    createRun: (run: NewRun) => submitter.createRun(run),
    createIn: (tx: Transaction, runs: readonly NewRun[]) => submitter.createIn(tx, runs),
    findSubmitted: (run: SubmitRun) => submitter.findSubmitted(run),
    join: eager.join.bind(eager),
    claim: (by: Capabilities, limit: number, lease_ms: number) => claims.claim(by, limit, lease_ms),
    removeIdleLanes: (limit: number) => removeIdleLanes(store.database, limit),
    append: (claim: ClaimRef, record: JournalRecord) => appends.append(claim, record),
    appendLogs: (claim: ClaimRef, chunks: readonly LogChunk[]) => logs.append(claim, chunks),
    complete: (claim: ClaimRef, completion: Completion) => completeActivity(store, completions, claim, completion),
    /** The caller must call `Sealer.prepare` for the run's org before its transaction. */
    async resolve(tx: Transaction, wait: WaitRef, outcome: WaitOutcome): Promise<boolean> {
      const ended = await resolveWaits(tx, store, [wait], { state: 'resolved', outcome: () => outcome });
      return ended.length === 1;
    },
    resolveAll: (tx: Transaction, waits: readonly WaitRef[], outcome: (wait: WaitRef) => WaitOutcome) =>
      resolveWaits(tx, store, waits, { state: 'resolved', outcome }),
  };
}

type Bound<T> = {
  [K in keyof T]: T[K] extends (store: never, ...args: infer A) => infer R ? (...args: A) => R : never;
};

/** The transitions as methods: each without its first parameter. */
function bindAll<T extends Record<string, (store: StoreContext, ...args: never[]) => unknown>>(
  store: StoreContext,
  transitions: T,
): Bound<T> {
  const bound = Object.entries(transitions).map(([name, transition]) => [name, transition.bind(undefined, store)]);
  return Object.fromEntries(bound) as Bound<T>;
}
