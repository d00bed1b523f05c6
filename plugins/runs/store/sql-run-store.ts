import type { Transaction } from '../../../kernel/contracts/index.ts';
import type {
  ActivityScope,
  ArmWait,
  Attempted,
  CancelRun,
  Capabilities,
  Claimed,
  CoordinatedRun,
  CoordinatedRuns,
  ClaimRef,
  Completion,
  FailedAttempt,
  InstantClaimer,
  InstantClaims,
  JournaledCall,
  JournalRecord,
  LogChunk,
  NewRun,
  Run,
  RunStore,
  SendSignal,
  SentSignal,
  SlotUse,
  SubmitResult,
  SubmitRun,
  WaitOutcome,
  WaitRef,
  WaitResolver,
} from '../contract.ts';
import { advanceRun } from './advance.ts';
import { Appends } from './append.ts';
import { keepAttempt } from './attempts.ts';
import { Claims } from './claims.ts';
import { Completions } from './completions.ts';
import { resolveDue } from './due.ts';
import { endOverdue } from './deadlines.ts';
import { cancelRun, cancelRuns, completeActivity, type LeftRun } from './finish.ts';
import { releaseClaim, renewClaims, slotUsesOf } from './leases.ts';
import { Logs } from './logs.ts';
import { removeIdleLanes } from './idle-lanes.ts';
import { LaneWindows } from './lanes.ts';
import { expireClaims, releaseAllBut } from './lost-claims.ts';
import { InstantClaimers } from './instant-claims.ts';
import { annotate } from './notes.ts';
import { type Parked, parkActivity } from './park.ts';
import type { StoreParts, StoreSettings } from './parts.ts';
import { performCall } from './perform.ts';
import { ActivityOwners } from './activity-owners.ts';
import { resolveWaits } from './resolve.ts';
import { sendSignal } from './signals.ts';
import { Sources } from './sources.ts';
import { Submits } from './submit.ts';

/**
 * The engine's store on any database of the kernel's contract; correct with any number of processes on one database.
 * Locks are taken in one order: runs, activities, then everything else, each by id. It uses only the database's clock,
 * and answers only after the commit.
 */
export class SqlRunStore implements RunStore, WaitResolver, CoordinatedRuns, InstantClaims {
  readonly #parts: StoreParts;
  readonly #submits: Submits;
  readonly #completions: Completions;
  readonly #claims: Claims;
  readonly #appends: Appends;
  readonly #logs: Logs;

  constructor(settings: StoreSettings) {
    this.#parts = {
      ...settings,
      wait_kinds: new Map(settings.wait_kinds.map((kind) => [kind.kind, kind])),
      coordinators: new Map(settings.coordinators.map((one) => [one.name, one])),
      verbs: new Map(settings.verbs.map((verb) => [verb.kind, verb])),
      windows: new LaneWindows(),
      owners: new ActivityOwners(settings.database, settings.sealer),
      sources: new Sources(settings.sealer),
      instant: new InstantClaimers({ ...settings, load: (taken) => this.#claims.instant(taken) }),
    };
    this.#submits = new Submits(this.#parts);
    this.#completions = new Completions(this.#parts);
    this.#claims = new Claims(this.#parts, this.#completions);
    this.#appends = new Appends(this.#parts);
    this.#logs = new Logs(this.#parts);
  }

  createRun(run: NewRun): Promise<SubmitResult> {
    return this.#submits.createRun(run);
  }

  findSubmitted(run: SubmitRun): Promise<SubmitResult | undefined> {
    return this.#submits.findSubmitted(run);
  }

  claim(by: Capabilities, limit: number, lease_ms: number): Promise<Claimed[]> {
    return this.#claims.claim(by, limit, lease_ms);
  }

  slotUsesOf(activity_ids: readonly string[]): Promise<ReadonlyMap<string, SlotUse>> {
    return slotUsesOf(this.#parts, activity_ids);
  }

  join(claimer: InstantClaimer): () => void {
    return this.#parts.instant.join(claimer);
  }

  renew(agent_id: string, claims: readonly ClaimRef[], lease_ms: number): Promise<{ lost: ClaimRef[] }> {
    return renewClaims(this.#parts, agent_id, claims, lease_ms);
  }

  append(claim: ClaimRef, record: JournalRecord): Promise<void> {
    return this.#appends.append(claim, record);
  }

  perform(claim: ClaimRef, call: JournaledCall): Promise<JournalRecord> {
    return performCall(this.#parts, claim, call);
  }

  park(claim: ClaimRef, wait: ArmWait): Promise<Parked> {
    return parkActivity(this.#parts, claim, wait);
  }

  attempt(claim: ClaimRef, failed: FailedAttempt): Promise<Attempted> {
    return keepAttempt(this.#parts, claim, failed);
  }

  complete(claim: ClaimRef, completion: Completion): Promise<void> {
    return completeActivity(this.#parts, this.#completions, claim, completion);
  }

  release(claim: ClaimRef): Promise<void> {
    return releaseClaim(this.#parts, claim);
  }

  releaseAllBut(agent_id: string, holding: readonly ClaimRef[]): Promise<number> {
    return releaseAllBut(this.#parts, agent_id, holding);
  }

  sendSignal(signal: SendSignal): Promise<SentSignal> {
    return sendSignal(this.#parts, signal);
  }

  cancelRun(cancel: CancelRun): Promise<Run> {
    return cancelRun(this.#parts, cancel);
  }

  /** Runs of one project that nobody waits for any more; `then` in the same transaction. The org's keys are ready. */
  cancelRuns(runs: readonly LeftRun[], then: (tx: Transaction) => Promise<void>): Promise<void> {
    return cancelRuns(this.#parts, runs, then);
  }

  resolveDue(limit: number): Promise<{ resolved: number; next: number | null }> {
    return resolveDue(this.#parts, limit);
  }

  endOverdue(limit: number): Promise<{ ended: number; next: number | null }> {
    return endOverdue(this.#parts, limit);
  }

  expireClaims(limit: number): Promise<number> {
    return expireClaims(this.#parts, limit);
  }

  removeIdleLanes(limit: number): Promise<number> {
    return removeIdleLanes(this.#parts.database, limit);
  }

  annotate(claim: ClaimRef, nth: number, text: string): Promise<void> {
    return annotate(this.#parts, claim, nth, text);
  }

  appendLogs(claim: ClaimRef, chunks: readonly LogChunk[]): Promise<void> {
    return this.#logs.append(claim, chunks);
  }

  /** The caller must call `Sealer.prepare` for the run's org before its transaction. */
  async resolve(tx: Transaction, wait: WaitRef, outcome: WaitOutcome): Promise<boolean> {
    const ended = await resolveWaits(tx, this.#parts, [wait], { state: 'resolved', outcome: () => outcome });
    return ended.length === 1;
  }

  resolveAll(
    tx: Transaction,
    waits: readonly WaitRef[],
    outcome: (wait: WaitRef) => WaitOutcome,
  ): Promise<readonly WaitRef[]> {
    return resolveWaits(tx, this.#parts, waits, { state: 'resolved', outcome });
  }

  advance(run: ActivityScope, work: (tx: Transaction, run: CoordinatedRun) => Promise<void>): Promise<void> {
    return advanceRun(this.#parts, run, work);
  }

  createIn(tx: Transaction, runs: readonly NewRun[]): Promise<SubmitResult[]> {
    return this.#submits.createIn(tx, runs);
  }
}
