import {
  type Database,
  decodeCursor,
  Errors,
  type Ids,
  iso,
  pageOf,
  retryUnknownCommit,
  type Sealer,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import {
  type Json,
  type RunGuard,
  runFinished,
  TERMINAL,
  type WaitRef,
  type WaitResolver,
} from '../../../engine/runs/contract.ts';
import type { Audit, AuditSource } from '../../../platform/audit/contract.ts';
import { parseExact } from '../../../platform/schema/contract.ts';
import type { Masker, RunMasks } from '../../../security/masking/contract.ts';
import {
  type Ask,
  askOutcome,
  encodeValue,
  keyedId,
  MAX_ASKS,
  MAX_OPEN_ASKS,
  MAX_VALUE_BYTES,
  outcomeOf,
} from '../domain/ask.ts';
import { askLimit } from '../errors.ts';
import type { Ask as AskView } from '../generated/ask.ts';
import {
  type AskScope,
  countOpen,
  insertAsk,
  listAsks,
  markDelivered,
  newestSeq,
  readAnswer,
  readAsk,
} from '../store/asks.ts';
import { oldestWait, removeWaits } from '../store/waits.ts';

export interface AsksDeps {
  database: Database;
  sealer: Sealer;
  ids: Ids;
  audit: Pick<Audit, 'record'>;
  guard: Pick<RunGuard, 'holdRun' | 'endOf'>;
  resolver: WaitResolver;
  masks: Pick<RunMasks, 'of'>;
}

export interface SendAsk {
  name: string;
  payload: Json | undefined;
  timeout_ms: number;
  idempotency_key: string | undefined;
  /** Who asks, as the run is reported. */
  sent_by: string | null;
  by: AuditSource;
}

/** What callers ask runs, and what runs answer. */
export class Asks {
  readonly #deps: AsksDeps;

  constructor(deps: AsksDeps) {
    this.#deps = deps;
  }

  /**
   * Asks a run something: gives it to the wait that has waited for the name longest, or queues it. Both happen under the run's
   * lock, like parking, so that nothing stays in the queue beside a wait for it. A repeat with the same key answers the first
   * ask. Throws `not_found`, `run_finished`, `ask_limit` and `payload_too_large`.
   */
  async send(scope: AskScope, ask: SendAsk): Promise<{ ask_id: string; duplicate: boolean }> {
    const { json, excess } = encodeValue(ask.payload);
    if (excess > 0)
      throw Errors.payloadTooLarge(`the payload is ${excess} bytes over the limit of ${MAX_VALUE_BYTES / 1024} KiB`);
    const { database, sealer, guard, ids } = this.#deps;
    const ask_id = ask.idempotency_key === undefined ? ids.next('ask') : keyedId(ask.idempotency_key);
    await sealer.prepare(scope.org_id);
    return retryUnknownCommit((isRetry) =>
      database.transaction(async (tx) => {
        const { status } = await guard.holdRun(tx, scope);
        const may_exist = isRetry || ask.idempotency_key !== undefined;
        if (may_exist && (await readAsk(tx, scope.run_id, ask_id)))
          return { ask_id, duplicate: ask.idempotency_key !== undefined };
        if (TERMINAL.includes(status)) throw runFinished(`run ${scope.run_id} has ended (${status}) and cannot answer`);
        await this.#deliver(tx, scope, ask_id, ask, json);
        return { ask_id, duplicate: false };
      }),
    );
  }

  async #deliver(tx: Transaction, scope: AskScope, ask_id: string, ask: SendAsk, payload: Buffer): Promise<void> {
    const { database, sealer, audit, resolver } = this.#deps;
    const now = database.now();
    const { org_id, project_id, run_id } = scope;
    if ((await countOpen(tx, run_id, now)) >= MAX_OPEN_ASKS)
      throw askLimit(`run ${run_id} has ${MAX_OPEN_ASKS} open asks, which is the limit`);
    const newest = await newestSeq(tx, run_id);
    if (newest >= MAX_ASKS) throw askLimit(`run ${run_id} was asked ${MAX_ASKS} times, which is the limit`);
    const { name, sent_by, timeout_ms } = ask;
    const stored = { ask_id, name, state: 'queued' as const, sent_by, sent_at: now, deadline: now + timeout_ms };
    await insertAsk(tx, sealer, scope, { ...stored, delivered_at: null, answered_at: null, payload }, newest + 1);
    await audit.record(tx, { ...ask.by, org_id, project_id, action: 'run.ask', subject: run_id, detail: name });
    for (let wait: WaitRef | undefined; (wait = await oldestWait(tx, run_id, name)); ) {
      if (await resolver.resolve(tx, wait, askOutcome(stored, payload))) return markDelivered(tx, run_id, ask_id, now);
      // A server of an earlier version has ended the wait, and does not know what was registered for it.
      await removeWaits(tx, [wait]);
    }
  }

  /** One ask, with its answer. Throws `not_found`. */
  async read(scope: AskScope, ask_id: string): Promise<AskView> {
    const { database, sealer, guard, masks } = this.#deps;
    const run_ended_at = await guard.endOf(scope);
    const ask = await readAsk(database, scope.run_id, ask_id);
    if (!ask) throw Errors.notFound(`no ask ${ask_id.slice(0, 64)} in run ${scope.run_id}`);
    await sealer.prepare(scope.org_id);
    const answer = ask.state === 'answered' ? await readAnswer(database, sealer, scope, ask_id) : undefined;
    // Read after the answer: the values in it were stored before it.
    const masker = await masks.of(scope);
    const view = this.#render(ask, run_ended_at, masker);
    return answer === undefined ? view : { ...view, answer: masker.json(parseExact(answer)) as AskView['answer'] };
  }

  /** The newest first, without answers. Throws `not_found`. */
  async list(
    scope: AskScope,
    { limit, cursor }: { limit: number; cursor: string | undefined },
  ): Promise<{ items: AskView[]; next_cursor?: string }> {
    const { database, guard, masks } = this.#deps;
    const before = decodeCursor(cursor, 'number')?.[0];
    const run_ended_at = await guard.endOf(scope);
    const asks = await listAsks(database, scope.run_id, { before, limit: limit + 1 });
    const { items, ...rest } = pageOf(asks, limit, ({ seq }) => seq);
    const masker = await masks.of(scope);
    return { items: items.map((ask) => this.#render(ask, run_ended_at, masker)), ...rest };
  }

  #render(ask: Ask, run_ended_at: number | undefined, masker: Masker): AskView {
    const { state, ended_at } = outcomeOf(ask, { now: this.#deps.database.now(), run_ended_at });
    return {
      ask_id: ask.ask_id,
      name: masker.text(ask.name),
      state,
      ...(ask.sent_by !== null && { by: ask.sent_by }),
      sent_at: iso(ask.sent_at),
      deadline: iso(ask.deadline),
      ...(ask.delivered_at !== null && { delivered_at: iso(ask.delivered_at) }),
      ...(ended_at !== undefined && { ended_at: iso(ended_at) }),
    };
  }
}
