import {
  type BatchOutcome,
  type Clock,
  type Database,
  type GroupCommit,
  type GroupCommits,
  isServiceError,
  type Log,
  retryUnknownCommit,
  type IterationResult,
  type Transaction,
  WorkLoop,
} from '../../../../kernel/contracts/index.ts';
import { startWoken, type Wakeups } from '../../../engine/runs/contract.ts';
import type { EmitResult } from '../contract.ts';
import { readOutcomes } from '../store/outcomes.ts';
import { insertPending, withdrawPending } from '../store/outbox.ts';
import { toForwardRequest, parseOutcome } from './forwarded-events.ts';
import { FORWARDED_TOPIC } from './outbox.ts';
import type { Recording } from './recording.ts';
import type { Sequencer } from './sequencing.ts';

/** Wakes the servers that wait for outcomes. */
export const OUTCOME_TOPIC = 'bus.answered';

const BATCH = 64;
/** After this time the event is withdrawn and recorded here. It must be shorter than callers are willing to wait. */
const MAX_WAIT_MS = 10_000;

export interface CommitForwarderDeps {
  database: Database;
  group_commits: GroupCommits;
  sequencer: Sequencer;
  wakeups: Pick<Wakeups, 'onTopic' | 'topic'>;
  clock: Clock;
  log: Log;
}

type Outcome = BatchOutcome<EmitResult>;

interface PendingOutcome {
  deadline: number;
  settle(outcome: Outcome | undefined): void;
}

/**
 * Forwards events to the server that numbers a project's events, and waits for their outcomes. Without it, servers on
 * different database nodes that emit to the same project would keep aborting each other.
 */
export class CommitForwarder {
  readonly #deps: CommitForwarderDeps;
  readonly #commits: GroupCommit<Recording, void>;
  readonly #pending = new Map<string, PendingOutcome>();
  readonly #loop: WorkLoop;
  /** False before `start` and after it was stopped, when nobody would fetch an outcome. */
  #running = false;

  constructor(deps: CommitForwarderDeps) {
    this.#deps = deps;
    this.#commits = deps.group_commits.create<Recording, void>({
      name: 'bus.ask',
      max_batch: BATCH,
      flush: async (tx, batch) => {
        await this.#insert(tx, batch);
        return batch.map(() => ({ ok: undefined }));
      },
    });
    this.#loop = new WorkLoop({
      clock: deps.clock,
      log: deps.log,
      poll: { min_ms: 4, max_ms: 40 },
      messages: {
        failing: 'reading the outcomes of emits failed; retrying',
        recovered: 'the outcomes of emits are read again',
      },
      iterate: () => this.#fetchOutcomes(),
    });
  }

  start(): () => Promise<void> {
    if (!this.#deps.sequencer.isEnabled) return async () => undefined;
    this.#running = true;
    const stop = startWoken(this.#loop, { wakeups: this.#deps.wakeups, topic: OUTCOME_TOPIC });
    return async () => {
      this.#running = false;
      await stop();
      for (const { settle } of [...this.#pending.values()]) settle(undefined);
    };
  }

  /**
   * Returns undefined when this server must record the event itself. `isCurrent` runs in the transaction that forwards
   * the event; it returns false when the event must not be emitted any more, which the caller then discovers too.
   */
  async forward(recording: Recording, isCurrent?: (tx: Transaction) => Promise<boolean>): Promise<Outcome | undefined> {
    const { database, sequencer, wakeups } = this.#deps;
    const { event_id, project_id } = recording.event;
    if (!this.#running || !(await sequencer.isNumberedElsewhere(database, project_id))) return undefined;
    const forwarded =
      isCurrent === undefined ? await this.#submit(recording) : await this.#submitIfCurrent(recording, isCurrent);
    if (!forwarded) return undefined;
    wakeups.topic(FORWARDED_TOPIC);
    const outcome = await this.#awaitOutcome(event_id);
    if (outcome) return outcome;
    // Waits that were armed meanwhile skip it by its id, whichever server numbers it.
    recording.event.forwarded = true;
    if (await this.#withdraw(event_id)) return undefined;
    const [outcome_row] = await readOutcomes(database, [event_id]);
    // By now it has a number or never will; if it was recorded, it is found by its id.
    recording.attempted = true;
    return outcome_row && parseOutcome(outcome_row);
  }

  /**
   * After a commit with unknown outcome the event may still be in the outbox. It is then found by its id, here or on
   * the server that numbers it.
   */
  async #withdraw(event_id: string): Promise<boolean> {
    return withdrawPending(this.#deps.database, event_id).catch((error: unknown) => {
      if (isServiceError(error, 'commit_unknown')) return false;
      throw error;
    });
  }

  async #submit(recording: Recording): Promise<true> {
    await retryUnknownCommit(() => this.#commits.submit(recording));
    return true;
  }

  #submitIfCurrent(recording: Recording, isCurrent: (tx: Transaction) => Promise<boolean>): Promise<boolean> {
    return retryUnknownCommit(() =>
      this.#deps.database.transaction(async (tx) => {
        if (!(await isCurrent(tx))) return false;
        await this.#insert(tx, [recording]);
        return true;
      }),
    );
  }

  #insert(tx: Transaction, batch: readonly Recording[]): Promise<void> {
    const pending = batch.map((recording) => ({ ...recording, request: toForwardRequest(recording) }));
    return insertPending(tx, pending, this.#deps.database.now());
  }

  #awaitOutcome(event_id: string): Promise<Outcome | undefined> {
    return new Promise((resolve) => {
      const settle = (outcome: Outcome | undefined) => {
        this.#pending.delete(event_id);
        resolve(outcome);
      };
      if (!this.#running) return resolve(undefined);
      this.#pending.set(event_id, { deadline: this.#deps.clock.monotonic() + MAX_WAIT_MS, settle });
      this.#loop.wake();
    });
  }

  async #fetchOutcomes(): Promise<IterationResult> {
    if (this.#pending.size === 0) return { processed: 0 };
    const { database, clock } = this.#deps;
    try {
      const rows = await readOutcomes(database, [...this.#pending.keys()]);
      for (const row of rows) this.#pending.get(row.event_id)?.settle(parseOutcome(row));
      return { processed: rows.length };
    } finally {
      const now = clock.monotonic();
      for (const { deadline, settle } of [...this.#pending.values()]) if (deadline <= now) settle(undefined);
    }
  }
}
