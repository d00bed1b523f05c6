import { hash } from 'node:crypto';
import {
  chunks,
  type Clock,
  type Database,
  failpoint,
  isServiceError,
  type IterationResult,
  type Log,
  type Metrics,
  retryUnknownCommit,
  type Sealer,
  WorkLoop,
} from '../../../../kernel/contracts/index.ts';
import { type Json, startWoken, type Wakeups } from '../../../engine/runs/contract.ts';
import type { EventBus } from '../../../events/bus/contract.ts';
import {
  type ConnectorTrigger,
  type ConnectorTriggers,
  type ConnectorValues,
  isGreater,
  type TriggerItem,
} from '../../connectors/contract.ts';
import type { DirectRequests } from '../../requests/contract.ts';
import { backoff } from '../domain/backoff.ts';
import { sealContext } from '../domain/names.ts';
import {
  claimPoll,
  findSeen,
  insertSeen,
  listDue,
  listForgotten,
  lockClaim,
  readNextPoll,
  recordFailure,
  recordPoll,
  refreshSeen,
  releasePoll,
  removeSeen,
  type TriggerRow,
} from '../store/triggers.ts';
import { CHANGED_TOPIC, openTrigger } from './triggers.ts';

/** How soon a change by another server is noticed without a wakeup. */
const SEARCH_MS = 1000;
/** The polls of one server at once, and those of one project, so that a project whose sources hang stops no others. */
const MAX_POLLS = 64;
const MAX_POLLS_OF_PROJECT = 4;
/** How long a poll may take beyond the time limit of its request, to record its items. */
const RECORDING_MS = 5000;
/** The items of one transaction. */
const CHUNK = 100;
/** The items that a trigger recognizes. Beyond them, those are forgotten that left the list first. */
const MAX_SEEN = 20_000;
const REFRESH_MS = 86_400_000;
const MAX_CURSOR_BYTES = 4096;
const MAX_ERROR_LENGTH = 1000;

export interface PollerDeps {
  database: Database;
  sealer: Sealer;
  bus: Pick<EventBus, 'record'>;
  requests: DirectRequests;
  sources: ConnectorTriggers;
  wakeups: Pick<Wakeups, 'onTopic'>;
  clock: Clock;
  log: Log;
  metrics: Metrics;
}

interface PollFailure {
  code: string;
  message: string;
  retry_after_ms?: number | undefined;
}

type Read = { items: readonly TriggerItem[]; cursor: Json | undefined; complete: boolean };

/**
 * Polls due triggers. One server claims a poll until its lease ends. It then records each new item together with the note
 * that the item was seen, in transactions that lock the trigger: whatever dies or is repeated, each item becomes one event.
 */
export class Poller {
  readonly #deps: PollerDeps;
  readonly #loop: WorkLoop;
  /** The polls in progress, by project. */
  readonly #active = new Map<string, number>();
  readonly #polls = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #count: ReturnType<Metrics['counter']>;

  constructor(deps: PollerDeps) {
    this.#deps = deps;
    this.#count = deps.metrics.counter('svc_trigger_polls_total', 'Polls of triggers: succeeded or failed.', [
      'outcome',
    ]);
    this.#loop = new WorkLoop({
      clock: deps.clock,
      log: deps.log,
      poll: { min_ms: SEARCH_MS, max_ms: SEARCH_MS },
      messages: { failing: 'looking for due triggers failed; retrying', recovered: 'triggers are polled again' },
      iterate: () => this.#iterate(),
    });
  }

  /** Runs until the returned function is called, which resolves when all polls have ended. */
  start(): () => Promise<void> {
    const stop = startWoken(this.#loop, { wakeups: this.#deps.wakeups, topic: CHANGED_TOPIC });
    return async () => {
      this.#stopping.abort();
      await stop();
      await Promise.all(this.#polls);
    };
  }

  async #iterate(): Promise<IterationResult> {
    const { database } = this.#deps;
    const free = MAX_POLLS - this.#polls.size;
    const full = [...this.#active].filter(([, count]) => count >= MAX_POLLS_OF_PROJECT).map(([project]) => project);
    const due = free > 0 ? await listDue(database, database.now(), { without: full, limit: free }) : [];
    let processed = 0;
    for (const row of due) {
      if ((this.#active.get(row.project_id) ?? 0) >= MAX_POLLS_OF_PROJECT) continue;
      if (await this.#begin(row)) processed += 1;
    }
    const next = await readNextPoll(database, database.now());
    // Another project can be behind the due triggers of one that has just become full.
    const hasMore = processed > 0 && due.length === free && this.#polls.size < MAX_POLLS;
    const due_ms = next === undefined ? SEARCH_MS : Math.max(0, Number(next) - database.now());
    return { processed, hasMore, due_ms: Math.min(due_ms, SEARCH_MS) };
  }

  async #begin(row: TriggerRow): Promise<boolean> {
    const { database, sources } = this.#deps;
    const source = sources.find(row.connector, row.source);
    const now = database.now();
    const lease_until = now + (source?.timeout_ms ?? 0) + RECORDING_MS;
    if (!(await claimPoll(database, row, now, lease_until))) return false;
    const claim = { ...row, epoch: Number(row.epoch) + 1 };
    this.#active.set(row.project_id, (this.#active.get(row.project_id) ?? 0) + 1);
    const poll = this.#poll(claim, source).finally(() => {
      this.#polls.delete(poll);
      const left = this.#active.get(row.project_id)! - 1;
      if (left > 0) this.#active.set(row.project_id, left);
      else this.#active.delete(row.project_id);
      this.#loop.wake();
    });
    this.#polls.add(poll);
    return true;
  }

  /** Never throws: what goes wrong is recorded with the trigger. */
  async #poll(row: TriggerRow, source: ConnectorTrigger | undefined): Promise<void> {
    const { log } = this.#deps;
    try {
      const failure = await this.#tryPoll(row, source);
      if (this.#stopping.signal.aborted && failure) return void (await releasePoll(this.#deps.database, row));
      if (failure) await this.#recordFailure(row, failure);
      this.#count.inc({ outcome: failure ? 'failed' : 'succeeded' });
    } catch (error) {
      log.error({ err: error, trigger: row.name }, 'a poll of a trigger failed');
      const failure = isServiceError(error)
        ? error
        : { code: 'internal', message: 'svc failed; its log has the cause' };
      await this.#recordFailure(row, failure).catch((second: unknown) =>
        log.error({ err: second, trigger: row.name }, 'a failed poll could not be recorded; its lease will expire'),
      );
    }
  }

  async #tryPoll(row: TriggerRow, source: ConnectorTrigger | undefined): Promise<PollFailure | undefined> {
    const { sealer } = this.#deps;
    if (source === undefined)
      return {
        code: 'not_found',
        message: `this server has no trigger ${row.source} of the connector ${row.connector}`,
      };
    await sealer.prepare(row.org_id);
    const { config, cursor } = openTrigger(sealer, row);
    const read = await this.#read(row, source, { ...config, cursor: cursor as Json | undefined });
    if ('code' in read) return read;
    return this.#record(row, source, read, cursor as Json | undefined);
  }

  async #read(
    row: TriggerRow,
    source: ConnectorTrigger,
    values: { with: object; input: object; cursor: Json | undefined },
  ): Promise<Read | PollFailure> {
    const { requests, clock } = this.#deps;
    const lowered = source.lower(values as { with: ConnectorValues; input: ConnectorValues; cursor: Json | undefined });
    if ('faults' in lowered)
      return {
        code: 'connector_input_invalid',
        message: lowered.faults.map(({ pointer, message }) => `${pointer} ${message}`).join('; '),
      };
    const late = new AbortController();
    const cancel = clock.after(source.timeout_ms, () => late.abort());
    const signal = AbortSignal.any([late.signal, this.#stopping.signal]);
    const credential = row.credential === null ? {} : { credential: row.credential };
    const request = { ...lowered.request, ...credential, timeout_ms: source.timeout_ms };
    const answered = await requests.send({ request, scope: row, signal }).finally(cancel);
    if ('failure' in answered) {
      if (late.signal.aborted)
        return {
          code: 'egress_failed',
          message: `there was no complete response within ${source.timeout_ms / 1000} s`,
        };
      return answered.failure;
    }
    const { complete = true } = answered.answer;
    const reading = source.read(answered.answer);
    if ('problem' in reading)
      return { code: 'request_failed', message: `the response cannot be used: ${reading.problem}` };
    if (reading.cursor !== undefined && Buffer.byteLength(JSON.stringify(reading.cursor)) > MAX_CURSOR_BYTES)
      return { code: 'request_failed', message: `the cursor has more than ${MAX_CURSOR_BYTES} bytes` };
    return { ...reading, complete };
  }

  async #record(
    row: TriggerRow,
    source: ConnectorTrigger,
    { items, cursor, complete }: Read,
    previous: Json | undefined,
  ): Promise<PollFailure | undefined> {
    const { database, sealer, bus } = this.#deps;
    const { cursor: described, oldest_first = false, trusted = true } = source.described;
    // A list that a limit has ended early lacks its last items, so only a list from the oldest on lets the cursor move.
    const can_move = complete || (oldest_first && described?.of !== 'response');
    const is_older =
      described?.of === 'items' && cursor !== undefined && previous !== undefined && isGreater(previous, cursor);
    const next = can_move && cursor !== undefined && !is_older ? cursor : previous;
    const is_silent = row.started === 0 && row.from_beginning === 0;
    const distinct = [...new Map(items.map((item) => [digestOf(row, item.id), item]))];
    let events = 0;
    const groups = distinct.length === 0 ? [[]] : chunksOf(distinct);
    for (const [index, group] of groups.entries()) {
      const recorded = await retryUnknownCommit(() =>
        database.transaction(async (tx) => {
          if (!(await lockClaim(tx, row))) return undefined;
          const digests = group.map(([digest]) => digest);
          const seen = digests.length > 0 ? await findSeen(tx, row, digests) : new Set();
          const now = database.now();
          const unseen = group.filter(([digest]) => !seen.has(digest));
          const stale = digests.filter((digest) => seen.has(digest));
          if (stale.length > 0) await refreshSeen(tx, row, stale, { now, since: now - REFRESH_MS });
          await insertSeen(
            tx,
            row,
            unseen.map(([digest]) => digest),
            now,
          );
          const emitted = is_silent ? [] : unseen;
          if (emitted.length > 0)
            await bus.record(
              tx,
              emitted.map(([, { type, key, payload }]) => ({
                ...{ org_id: row.org_id, project_id: row.project_id, type, key, payload },
                ...{ source: 'trigger' as const, source_name: row.name, generation: 0, trusted, refusable: false },
                fields: { trigger: row.name },
                trace: null,
              })),
            );
          failpoint('triggers.recorded');
          if (index === groups.length - 1)
            await recordPoll(tx, row, {
              next_poll: now + Number(row.every_ms),
              polled_at: now,
              items: items.length,
              events: events + emitted.length,
              started: row.started === 1 || complete || !can_move ? 1 : 0,
              warning: complete ? null : incompleteText(items.length, can_move),
              position:
                next === undefined
                  ? null
                  : sealer.seal(sealContext(row, row.trigger_id, 'position'), Buffer.from(JSON.stringify(next))),
            });
          return emitted.length;
        }),
      );
      // Somebody changed or removed the trigger, or its lease ended and another server polls it.
      if (recorded === undefined) return undefined;
      events += recorded;
    }
    await this.#forget(row);
    return undefined;
  }

  async #forget(row: TriggerRow): Promise<void> {
    const { database } = this.#deps;
    const digests = await listForgotten(database, row, MAX_SEEN, MAX_SEEN);
    for (const group of chunks(digests)) await removeSeen(database, row, group);
  }

  async #recordFailure(row: TriggerRow, { code, message, retry_after_ms }: PollFailure): Promise<void> {
    const { database } = this.#deps;
    const now = database.now();
    const failures = Number(row.failures) + 1;
    await recordFailure(database, row, {
      next_poll: now + backoff(Number(row.every_ms), failures, retry_after_ms),
      polled_at: now,
      failures,
      error_code: code,
      error: message.slice(0, MAX_ERROR_LENGTH),
    });
  }
}

/** IDs of items can be personal, and longer than a key of a table. */
const digestOf = ({ trigger_id }: Pick<TriggerRow, 'trigger_id'>, id: string): string =>
  hash('sha256', `${trigger_id} ${id}`, 'base64url');

function chunksOf<T>(list: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(list.length / CHUNK) }, (_, i) => list.slice(i * CHUNK, (i + 1) * CHUNK));
}

const incompleteText = (count: number, moved: boolean): string =>
  moved
    ? `a limit ended the list after ${count} items; the next poll continues`
    : `a limit ended the list after ${count} items, so later ones are not read; use a cursor, a filter or oldest_first`;
