import {
  type BatchOutcome,
  type Clock,
  type Database,
  type GroupCommit,
  type GroupCommits,
  isServiceError,
  type Log,
  retryUnknownCommit,
  type Round,
  type Transaction,
  WorkLoop,
} from '../../../kernel/contracts/index.ts';
import { startWoken, type Wakeups } from '../../runs/contract.ts';
import type { EmitResult } from '../contract.ts';
import { readAnswers } from '../store/answers.ts';
import { insertPending, withdrawPending } from '../store/outbox.ts';
import { askedOf, outcomeOf } from './handed-over.ts';
import { HANDED_OVER_TOPIC } from './outbox.ts';
import type { Recording } from './recording.ts';
import type { Sequencer } from './sequencing.ts';

/** Tells the servers that wait for outcomes that there are some. */
export const ANSWERED_TOPIC = 'bus.answered';

const BATCH = 64;
/** After this time the event is taken back and recorded here. Below the time for which callers wait. */
const PATIENCE_MS = 10_000;

export interface AskingParts {
  database: Database;
  group_commits: GroupCommits;
  sequencer: Sequencer;
  wakeups: Pick<Wakeups, 'onTopic' | 'topic'>;
  clock: Clock;
  log: Log;
}

type Outcome = BatchOutcome<EmitResult>;

interface Waiting {
  until: number;
  settle(outcome: Outcome | undefined): void;
}

/**
 * Has the server that numbers a project's events record one, and waits for what becomes of it. Without this, servers on
 * different nodes that emit to one project would abort each other all the time.
 */
export class Asking {
  readonly #parts: AskingParts;
  readonly #commits: GroupCommit<Recording, void>;
  readonly #waiting = new Map<string, Waiting>();
  readonly #loop: WorkLoop;
  /** Before and after, nobody would fetch an outcome. */
  #running = false;

  constructor(parts: AskingParts) {
    this.#parts = parts;
    this.#commits = parts.group_commits.create<Recording, void>({
      name: 'bus.ask',
      max_batch: BATCH,
      flush: async (tx, batch) => {
        await this.#insert(tx, batch);
        return batch.map(() => ({ ok: undefined }));
      },
    });
    this.#loop = new WorkLoop({
      clock: parts.clock,
      log: parts.log,
      poll: { min_ms: 4, max_ms: 40 },
      says: {
        failing: 'reading the outcomes of emits failed; retrying',
        recovered: 'the outcomes of emits are read again',
      },
      round: () => this.#fetch(),
    });
  }

  start(): () => Promise<void> {
    if (!this.#parts.sequencer.handsOver) return async () => undefined;
    this.#running = true;
    const stop = startWoken(this.#loop, { wakeups: this.#parts.wakeups, topic: ANSWERED_TOPIC });
    return async () => {
      this.#running = false;
      await stop();
      for (const { settle } of [...this.#waiting.values()]) settle(undefined);
    };
  }

  /**
   * Undefined when this server is to record the event itself. `fresh` is asked in the transaction that hands it over:
   * false when it must not be emitted any more, which the caller then finds too.
   */
  async ask(recording: Recording, fresh?: (tx: Transaction) => Promise<boolean>): Promise<Outcome | undefined> {
    const { database, sequencer, wakeups } = this.#parts;
    const { event_id, project_id } = recording.event;
    if (!this.#running || !(await sequencer.elsewhere(database, project_id))) return undefined;
    const handed = fresh === undefined ? await this.#submit(recording) : await this.#submitIf(recording, fresh);
    if (!handed) return undefined;
    wakeups.topic(HANDED_OVER_TOPIC);
    const outcome = await this.#answer(event_id);
    if (outcome) return outcome;
    // What was armed meanwhile names it, wherever it gets its number.
    recording.event.handed_over = true;
    if (await this.#withdrawn(event_id)) return undefined;
    const [late] = await readAnswers(database, [event_id]);
    // It has a number now, or none and never will: an event that was recorded is found by its id.
    recording.attempted = true;
    return late && outcomeOf(late);
  }

  /** After an unknown commit it may still lie there; then it is found by its id, here or by whoever numbers it. */
  async #withdrawn(event_id: string): Promise<boolean> {
    return withdrawPending(this.#parts.database, event_id).catch((error: unknown) => {
      if (isServiceError(error, 'commit_unknown')) return false;
      throw error;
    });
  }

  async #submit(recording: Recording): Promise<true> {
    await retryUnknownCommit(() => this.#commits.submit(recording));
    return true;
  }

  #submitIf(recording: Recording, fresh: (tx: Transaction) => Promise<boolean>): Promise<boolean> {
    return retryUnknownCommit(() =>
      this.#parts.database.transaction(async (tx) => {
        if (!(await fresh(tx))) return false;
        await this.#insert(tx, [recording]);
        return true;
      }),
    );
  }

  #insert(tx: Transaction, batch: readonly Recording[]): Promise<void> {
    const asking = batch.map((recording) => ({ ...recording, asked: askedOf(recording) }));
    return insertPending(tx, asking, this.#parts.database.now());
  }

  #answer(event_id: string): Promise<Outcome | undefined> {
    return new Promise((resolve) => {
      const settle = (outcome: Outcome | undefined) => {
        this.#waiting.delete(event_id);
        resolve(outcome);
      };
      if (!this.#running) return resolve(undefined);
      this.#waiting.set(event_id, { until: this.#parts.clock.monotonic() + PATIENCE_MS, settle });
      this.#loop.wake();
    });
  }

  async #fetch(): Promise<Round> {
    if (this.#waiting.size === 0) return { found: 0 };
    const { database, clock } = this.#parts;
    try {
      const answers = await readAnswers(database, [...this.#waiting.keys()]);
      for (const answer of answers) this.#waiting.get(answer.event_id)?.settle(outcomeOf(answer));
      return { found: answers.length };
    } finally {
      const now = clock.monotonic();
      for (const { until, settle } of [...this.#waiting.values()]) if (until <= now) settle(undefined);
    }
  }
}
