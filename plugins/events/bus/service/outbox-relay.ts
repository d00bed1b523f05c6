import type { Database, Metrics, Sealer, Transaction } from '../../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../contract.ts';
import { insertOutcomes } from '../store/outcomes.ts';
import { type Head, lockHead } from '../store/heads.ts';
import { insertPending, setAside, readPending, removePending } from '../store/outbox.ts';
import {
  serializeOutcome,
  serializeFailure,
  sortByLifecycle,
  restoreRecording,
  addEarlierEvents,
} from './forwarded-events.ts';
import { type Outcomes, resultOf } from './duplicates.ts';
import type { BudgetedEvaluator } from './predicate-evaluator.ts';
import type { Recording } from './recording.ts';
import type { Sequencer } from './sequencing.ts';

/** Maximum number of events of other servers that are numbered in one transaction. */
export const MAX_DRAINED = 64;

export interface OutboxRelayDeps {
  database: Pick<Database, 'now'>;
  sequencer: Sequencer;
  sealer: Sealer;
  evaluator: Pick<BudgetedEvaluator, 'attach' | 'resume'>;
  metrics: Metrics;
  /** Called after a commit that left events to the server that numbers them. */
  onForwarded(): void;
  /** Called after a commit that wrote outcomes for other servers. */
  onOutcomes(): void;
}

/** Moves events into and out of the outbox, within transactions that record events. */
export class OutboxRelay {
  readonly #deps: OutboxRelayDeps;
  readonly #forwarded_total: ReturnType<Metrics['counter']>;

  constructor(deps: OutboxRelayDeps) {
    this.#deps = deps;
    this.#forwarded_total = deps.metrics.counter(
      'svc_bus_events_handed_over_total',
      'Events that wait for the server that numbers them.',
    );
  }

  /**
   * Sets the oldest event of the outbox aside because it cannot be recorded, and fails it for the server that waits
   * for it. Returns its id.
   */
  async setAside(tx: Transaction, { org_id, project_id }: ProjectScope, error: unknown): Promise<string | undefined> {
    const { sequencer, database } = this.#deps;
    const head = await lockHead(tx, { org_id, project_id });
    const [row] = sequencer.canDrain(head) ? await readPending(tx, project_id, 1) : [];
    if (!row) return undefined;
    const now = database.now();
    tx.skipConflictGuard('bus_outbox', [[row.event_id]]);
    if (row.asked === null) await setAside(tx, row.event_id, now);
    else {
      await removePending(tx, [row.event_id]);
      await insertOutcomes(tx, [{ event_id: row.event_id, outcome: serializeFailure(error) }], now);
      tx.afterCommit(this.#deps.onOutcomes);
    }
    return row.event_id;
  }

  /** Writes the outcomes of these events for the servers that wait for them. */
  async writeOutcomes(tx: Transaction, forwarded: readonly Recording[], outcomes: Outcomes): Promise<void> {
    if (forwarded.length === 0) return;
    const rows = forwarded
      .filter(({ awaited }) => awaited)
      .map((recording) => serializeOutcome(recording, outcomes.get(recording)!));
    if (rows.length === 0) return;
    await insertOutcomes(tx, rows, this.#deps.database.now());
    tx.afterCommit(this.#deps.onOutcomes);
  }

  /** Leaves events to the server that numbers them. */
  async forward(tx: Transaction, recordings: readonly Recording[], outcomes: Outcomes): Promise<void> {
    await insertPending(tx, recordings, this.#deps.database.now());
    for (const recording of recordings) outcomes.set(recording, { ok: resultOf(recording, false) });
    tx.afterCommit(() => {
      this.#forwarded_total.inc({}, recordings.length);
      this.#deps.onForwarded();
    });
  }

  /** Takes the oldest forwarded events out of the outbox if this server numbers the project's events. */
  async drain(tx: Transaction, project_id: string, head: Head, limit = MAX_DRAINED): Promise<Recording[]> {
    const { sequencer, sealer, evaluator } = this.#deps;
    if (!sequencer.isEnabled || !sequencer.canDrain(head)) return [];
    const oldest = await readPending(tx, project_id, limit);
    const rows = oldest.length < limit ? oldest : await addEarlierEvents(tx, project_id, oldest);
    // Removed first, because reactions may record events in this transaction too. Nobody can withdraw them any more.
    await removePending(
      tx,
      rows.map(({ event_id }) => event_id),
    );
    const recordings = rows.map((row) => restoreRecording(sealer, row));
    for (const { event } of recordings) evaluator.attach(event, evaluator.resume(event));
    return sortByLifecycle(recordings);
  }
}
