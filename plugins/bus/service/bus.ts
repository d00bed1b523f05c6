import {
  type BatchOutcome,
  type Database,
  type GroupCommit,
  type GroupCommits,
  type Queries,
  type Sealer,
  retryUnknownCommit,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import type { AuditSource } from '../../audit/contract.ts';
import type {
  Delivery,
  EmitResult,
  EventBus,
  EventSource,
  NewEvent,
  ProjectScope,
  Replay,
  StoredEvent,
} from '../contract.ts';
import { updateDeliveries } from '../store/deliveries.ts';
import { findReplay, insertReplay } from '../store/replays.ts';
import { readEvent } from '../store/event-rows.ts';
import { lockHead } from '../store/heads.ts';
import type { Asking } from './asking.ts';
import { HeldEvents } from './held-events.ts';
import type { Recorder } from './recorder.ts';
import type { Recording } from './recording.ts';

const BATCH = 64;

export interface BusParts {
  database: Database;
  group_commits: GroupCommits;
  sealer: Sealer;
  recorder: Recorder;
  asking: Pick<Asking, 'ask'>;
}

/** The buses of all projects in one database; correct with any number of processes. */
export class Bus implements EventBus {
  readonly #parts: BusParts;
  readonly #commits: GroupCommit<Recording, EmitResult>;
  readonly #held = new HeldEvents();

  constructor(parts: BusParts) {
    this.#parts = parts;
    this.#commits = parts.group_commits.create<Recording, EmitResult>({
      name: 'bus.emit',
      max_batch: BATCH,
      flush: (tx, batch) => parts.recorder.record(tx, batch),
    });
  }

  /** With `by`, the emit is audited as that request. */
  async emit(event: NewEvent, by?: AuditSource): Promise<EmitResult> {
    await this.#parts.sealer.prepare(event.org_id);
    const recording = this.#parts.recorder.prepare(event, by);
    const outcome = await this.#parts.asking.ask(recording);
    if (outcome !== undefined) {
      if ('error' in outcome) throw outcome.error;
      return outcome.ok;
    }
    await this.#parts.recorder.judgeAhead(recording);
    return retryUnknownCommit(() => this.#commits.submit(recording));
  }

  async ahead(
    event: NewEvent,
    fresh: (tx: Transaction) => Promise<boolean>,
  ): Promise<BatchOutcome<EmitResult> | undefined> {
    await this.#parts.sealer.prepare(event.org_id);
    return this.#parts.asking.ask(this.#parts.recorder.prepare(event), fresh);
  }

  async record(tx: Transaction, events: readonly NewEvent[]): Promise<EmitResult[]> {
    const { recorder } = this.#parts;
    const held = this.#held.take(tx);
    const recordings = [...held, ...events].map((event) => recorder.prepareAgain(event));
    const results = (await recorder.record(tx, recordings)).map((outcome) => {
      if ('error' in outcome) throw outcome.error;
      return outcome.ok;
    });
    return results.slice(held.length);
  }

  /**
   * Records events with the next ones of the transaction. Whoever asks for this calls `recordHeld` before it ends, and
   * before anything is armed that must not see them.
   */
  recordWithNext(tx: Transaction, events: readonly NewEvent[]): void {
    this.#held.hold(tx, events);
  }

  async recordHeld(tx: Transaction): Promise<void> {
    if (this.#held.any(tx)) await this.record(tx, []);
  }

  async lock(tx: Transaction, scope: ProjectScope): Promise<void> {
    await lockHead(tx, scope);
  }

  async read(
    scope: ProjectScope,
    event_id: string,
    on: Pick<Queries, 'read'> = this.#parts.database,
    source?: EventSource,
  ): Promise<StoredEvent | undefined> {
    await this.#parts.sealer.prepare(scope.org_id);
    return readEvent(on, this.#parts.sealer, scope, event_id, source);
  }

  settleDeliveries(tx: Transaction, scope: ProjectScope, deliveries: readonly Delivery[]): Promise<void> {
    return updateDeliveries(tx, scope, deliveries);
  }

  noteReplay(tx: Transaction, scope: ProjectScope, replay: Replay): Promise<void> {
    return insertReplay(tx, scope, replay);
  }

  findReplay(
    on: Pick<Queries, 'read'>,
    scope: ProjectScope,
    replay: Pick<Replay, 'event_id' | 'name' | 'replay_id'>,
  ): Promise<Replay | undefined> {
    return findReplay(on, scope, replay);
  }
}
