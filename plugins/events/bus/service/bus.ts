import {
  type BatchOutcome,
  type Database,
  type GroupCommit,
  type GroupCommits,
  type Queries,
  type Sealer,
  retryUnknownCommit,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import type { AuditSource } from '../../../platform/audit/contract.ts';
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
import { digests } from '../domain/event-rules.ts';
import { findByDedup, readEvent } from '../store/event-rows.ts';
import { lockHead } from '../store/heads.ts';
import type { CommitForwarder } from './commit-forwarder.ts';
import { EventBuffer } from './event-buffer.ts';
import type { Recorder } from './recorder.ts';
import type { Recording } from './recording.ts';

const BATCH = 64;

export interface BusDeps {
  database: Database;
  group_commits: GroupCommits;
  sealer: Sealer;
  recorder: Recorder;
  forwarder: Pick<CommitForwarder, 'forward'>;
}

/** The event buses of all projects in one database. Any number of processes may use it at once. */
export class Bus implements EventBus {
  readonly #deps: BusDeps;
  readonly #commits: GroupCommit<Recording, EmitResult>;
  readonly #buffer = new EventBuffer();
  /** The reads outside of transactions that are under way, by the event: many runs and waits of one event read it at once. */
  readonly #reading = new Map<string, Promise<StoredEvent | undefined>>();

  constructor(deps: BusDeps) {
    this.#deps = deps;
    this.#commits = deps.group_commits.create<Recording, EmitResult>({
      name: 'bus.emit',
      max_batch: BATCH,
      flush: (tx, batch) => deps.recorder.record(tx, batch),
    });
  }

  /** With `by`, the emit is audited as that request. */
  async emit(event: NewEvent, by?: AuditSource): Promise<EmitResult> {
    await this.#deps.sealer.prepare(event.org_id);
    const recording = await this.#deps.recorder.prepare(event, by);
    const outcome = await this.#deps.forwarder.forward(recording);
    if (outcome !== undefined) {
      if ('error' in outcome) throw outcome.error;
      return outcome.ok;
    }
    await this.#deps.recorder.precomputeExpressions(recording);
    return retryUnknownCommit(() => this.#commits.submit(recording));
  }

  async recordRemotely(
    event: NewEvent,
    isCurrent: (tx: Transaction) => Promise<boolean>,
  ): Promise<BatchOutcome<EmitResult> | undefined> {
    await this.#deps.sealer.prepare(event.org_id);
    return this.#deps.forwarder.forward(await this.#deps.recorder.prepare(event), isCurrent);
  }

  async record(tx: Transaction, events: readonly NewEvent[]): Promise<EmitResult[]> {
    const { recorder } = this.#deps;
    const buffered = this.#buffer.drain(tx);
    const recordings = [...buffered, ...events].map((event) => recorder.prepareInTransaction(event));
    const results = (await recorder.record(tx, recordings)).map((outcome) => {
      if ('error' in outcome) throw outcome.error;
      return outcome.ok;
    });
    return results.slice(buffered.length);
  }

  /**
   * Records events together with the next ones of the transaction. The caller must call `recordBuffered` before the
   * transaction ends, and before it arms anything that must not see them.
   */
  buffer(tx: Transaction, events: readonly NewEvent[]): void {
    this.#buffer.add(tx, events);
  }

  async recordBuffered(tx: Transaction): Promise<void> {
    if (this.#buffer.has(tx)) await this.record(tx, []);
  }

  async lock(tx: Transaction, scope: ProjectScope): Promise<void> {
    await lockHead(tx, scope);
  }

  async read(
    scope: ProjectScope,
    event_id: string,
    on?: Pick<Queries, 'read'>,
    source?: EventSource,
  ): Promise<StoredEvent | undefined> {
    const { database, sealer } = this.#deps;
    await sealer.prepare(scope.org_id);
    if (on) return readEvent(on, sealer, scope, event_id, source);
    // Events never change, so all of these reads have the same result.
    const key = JSON.stringify([scope.org_id, scope.project_id, event_id, source]);
    const reading = this.#reading.get(key) ?? readEvent(database, sealer, scope, event_id, source);
    this.#reading.set(key, reading);
    try {
      return await reading;
    } finally {
      if (this.#reading.get(key) === reading) this.#reading.delete(key);
    }
  }

  async findDuplicates(tx: Transaction, { project_id }: ProjectScope, dedups: readonly string[]): Promise<Set<string>> {
    const by_digest = new Map(dedups.map((dedup) => [digests.dedup(dedup), dedup]));
    const found = await findByDedup(tx, project_id, [...by_digest.keys()]);
    return new Set([...found.keys()].map((digest) => by_digest.get(digest)!));
  }

  updateDeliveries(tx: Transaction, scope: ProjectScope, deliveries: readonly Delivery[]): Promise<void> {
    return updateDeliveries(tx, scope, deliveries);
  }

  recordReplay(tx: Transaction, scope: ProjectScope, replay: Replay): Promise<void> {
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
