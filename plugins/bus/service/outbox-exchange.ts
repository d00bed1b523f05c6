import type { Database, Metrics, Sealer, Transaction } from '../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../contract.ts';
import { insertAnswers } from '../store/answers.ts';
import { type Head, lockHead } from '../store/heads.ts';
import { insertPending, putAside, readPending, removePending } from '../store/outbox.ts';
import { answerOf, failureOf, inOrderOfRuns, recordingOf, withFirsts } from './handed-over.ts';
import { type Outcomes, resultOf } from './known-events.ts';
import type { Judge } from './judging.ts';
import type { Recording } from './recording.ts';
import type { Sequencer } from './sequencing.ts';

/** Events of other servers that are numbered in one transaction. */
export const DRAINED = 64;

export interface OutboxParts {
  database: Pick<Database, 'now'>;
  sequencer: Sequencer;
  sealer: Sealer;
  judge: Pick<Judge, 'attach' | 'resume'>;
  metrics: Metrics;
  /** Called after a commit that left events to the server that numbers them. */
  handedOver(): void;
  /** Called after a commit that answered other servers. */
  answered(): void;
}

/** What goes into the outbox and comes out of it in transactions that record events. */
export class OutboxExchange {
  readonly #parts: OutboxParts;
  readonly #handed: ReturnType<Metrics['counter']>;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
    this.#handed = parts.metrics.counter('svc_bus_events_handed_over_total', 'Events left to the server that numbers.');
  }

  /** The oldest such event cannot be recorded: it waits aside. Answers which one, and tells the server that waits for it. */
  async putAside(tx: Transaction, { org_id, project_id }: ProjectScope, error: unknown): Promise<string | undefined> {
    const { sequencer, database } = this.#parts;
    const head = await lockHead(tx, { org_id, project_id });
    const [row] = sequencer.mayDrain(head) ? await readPending(tx, project_id, 1) : [];
    if (!row) return undefined;
    const now = database.now();
    tx.settled('bus_outbox', [[row.event_id]]);
    if (row.asked === null) await putAside(tx, row.event_id, now);
    else {
      await removePending(tx, [row.event_id]);
      await insertAnswers(tx, [{ event_id: row.event_id, outcome: failureOf(error) }], now);
      tx.afterCommit(this.#parts.answered);
    }
    return row.event_id;
  }

  /** The servers that wait for the outcome of one of these get it. */
  async settle(tx: Transaction, before: readonly Recording[], outcomes: Outcomes): Promise<void> {
    if (before.length === 0) return;
    const answers = before.filter(({ awaited }) => awaited).map((one) => answerOf(one, outcomes.get(one)!));
    if (answers.length === 0) return;
    await insertAnswers(tx, answers, this.#parts.database.now());
    tx.afterCommit(this.#parts.answered);
  }

  /** Leaves events to the server that numbers them. */
  async leave(tx: Transaction, own: readonly Recording[], outcomes: Outcomes): Promise<void> {
    await insertPending(tx, own, this.#parts.database.now());
    for (const recording of own) outcomes.set(recording, { ok: resultOf(recording, false) });
    tx.afterCommit(() => {
      this.#handed.inc({}, own.length);
      this.#parts.handedOver();
    });
  }

  /** The oldest events that others have handed over, when this server numbers the project's events; they leave the outbox. */
  async take(tx: Transaction, project_id: string, head: Head, limit = DRAINED): Promise<Recording[]> {
    const { sequencer, sealer, judge } = this.#parts;
    if (!sequencer.handsOver || !sequencer.mayDrain(head)) return [];
    const oldest = await readPending(tx, project_id, limit);
    const rows = oldest.length < limit ? oldest : await withFirsts(tx, project_id, oldest);
    // At once: reactions may record in this transaction too, and nobody can take them back any more.
    await removePending(
      tx,
      rows.map(({ event_id }) => event_id),
    );
    const recordings = rows.map((row) => recordingOf(sealer, row));
    for (const { event } of recordings) judge.attach(event, judge.resume(event));
    return inOrderOfRuns(recordings);
  }
}
