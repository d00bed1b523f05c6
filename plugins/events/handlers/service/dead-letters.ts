import {
  type Database,
  iso,
  isServiceError,
  pageOf,
  type Page,
  type Sealer,
  MEMBER,
} from '../../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../bus/contract.ts';
import type { RunEngine } from '../../../engine/runs/contract.ts';
import type { Prunable } from '../../../platform/retention/contract.ts';
import { deleteBatch } from '../../../platform/retention/contract.ts';
import {
  type AttentionSource,
  type AuditedWrites,
  type NamedRequest,
  notFound,
} from '../../../platform/resources/contract.ts';
import { DEAD_LETTER } from '../domain/names.ts';
import type { DeadLetterView } from '../generated/dead-letter.ts';
import type { DismissedDeadLetters } from '../generated/dismissed-dead-letters.ts';
import type { ReplayedEvent } from '../generated/replayed-event.ts';
import {
  countLettersByHandler,
  type DeadLetter,
  type DeadLetterFilter,
  findDeadLetter,
  listDeadLetters,
  removeDeadLetters,
} from '../store/dead-letters.ts';
import { type ReplayDeps, replayEvent } from './replay.ts';

export interface DeadLettersDeps {
  database: Database;
  sealer: Pick<Sealer, 'prepare'>;
  writes: AuditedWrites;
  engine(): Pick<RunEngine, 'read'>;
  replay(): ReplayDeps;
}

/** Letters that one request dismisses. */
const MAX_DISMISSED = 1000;
const REASON_LENGTH = 300;

/** Deliveries that have failed for good: what failed, again, or not at all. */
export class DeadLetters {
  readonly #deps: DeadLettersDeps;

  constructor(deps: DeadLettersDeps) {
    this.#deps = deps;
  }

  async list(
    scope: ProjectScope,
    filter: DeadLetterFilter,
    { limit, before }: Page,
  ): Promise<{ items: DeadLetterView[]; next_cursor?: string }> {
    const { database, sealer } = this.#deps;
    const rows = await listDeadLetters(database, scope, filter, { limit: limit + 1, before });
    const { items, ...rest } = pageOf(rows, limit, ({ letter_id }) => letter_id);
    await sealer.prepare(scope.org_id);
    const views: DeadLetterView[] = [];
    for (const letter of items) views.push(await this.#view(scope, letter));
    return { items: views, ...rest };
  }

  /** Delivers the event of a letter again. Throws `not_found`, `handlers_in_flight`. */
  async redeliver(
    { scope, name: letter_id, by }: NamedRequest,
    force: boolean,
    key: string | undefined,
  ): Promise<ReplayedEvent> {
    const letter = await this.#find(scope, letter_id);
    const body = { handler: letter.name, force };
    return replayEvent(this.#deps.replay(), { scope, name: letter.event_id, by }, body, key);
  }

  /** Throws `not_found`. */
  async dismiss(call: NamedRequest): Promise<void> {
    const letter = await this.#find(call.scope, call.name);
    const remove = async (tx: Parameters<typeof removeDeadLetters>[0], scope: ProjectScope, id: string) =>
      (await removeDeadLetters(tx, scope, [id])) > 0;
    await this.#deps.writes.remove(
      call,
      'dead_letter.dismiss',
      { ...DEAD_LETTER, remove },
      () => `${letter.event_id} of ${letter.name}`,
    );
  }

  /** Dismisses the oldest letters of a filter, at most 1,000. */
  async dismissMany(
    { scope, by }: Omit<NamedRequest, 'name'>,
    filter: DeadLetterFilter,
  ): Promise<DismissedDeadLetters> {
    const { database, writes } = this.#deps;
    const letters = await listDeadLetters(database, scope, filter, { limit: MAX_DISMISSED + 1, after: '' });
    const ids = letters.slice(0, MAX_DISMISSED).map(({ letter_id }) => letter_id);
    if (ids.length === 0) return { dismissed: 0, complete: true };
    const dismissed = await writes.write(
      { scope, by, name: filter.name ?? filter.type ?? 'all' },
      'dead_letter.dismiss',
      (tx) => removeDeadLetters(tx, scope, ids),
      (count) => `${count} dead letters`,
    );
    return { dismissed, complete: letters.length <= MAX_DISMISSED };
  }

  async #find(scope: ProjectScope, letter_id: string): Promise<DeadLetter> {
    const letter = await findDeadLetter(this.#deps.database, scope, letter_id);
    if (!letter) throw notFound(DEAD_LETTER, letter_id);
    return letter;
  }

  /** The error of a run is masked like everywhere, so it is read from the run and not stored with the letter. */
  async #view(scope: ProjectScope, letter: DeadLetter): Promise<DeadLetterView> {
    const { letter_id, event_id, type, name, run_id, failed_at, reason } = letter;
    const view = { dead_letter: letter_id, event: event_id, type, handler: name, failed_at: iso(failed_at) };
    if (run_id === null) return { ...view, reason: shorten(reason ?? '') };
    const error = await this.#error(scope, run_id);
    return { ...view, run_id, code: error?.code, reason: shorten(error?.message ?? 'the run is no longer stored') };
  }

  async #error(scope: ProjectScope, run_id: string): Promise<{ code?: string; message: string } | undefined> {
    try {
      return (await this.#deps.engine().read(scope, run_id)).error ?? { message: 'the run failed' };
    } catch (error) {
      if (isServiceError(error, 'not_found')) return undefined;
      throw error;
    }
  }
}

const shorten = (text: string): string => (text.length > REASON_LENGTH ? `${text.slice(0, REASON_LENGTH - 1)}…` : text);

/** Letters whose events are no longer stored cannot be delivered, so both have an age of their own. */
export const prunableDeadLetters = (database: Database): Prunable => ({
  name: 'dead-letters',
  summary: 'deliveries to handlers that have failed permanently; their runs and events stay',
  async *prune(before, limit) {
    const table = { table: 'handlers_dead_letters', key: 'project_id, letter_id' };
    for (let removed = limit; removed >= limit; ) {
      removed = await deleteBatch(database, table, 'failed_at < ?', [before], limit);
      if (removed > 0) yield removed;
    }
  },
});

/** Lists the handlers that have dead letters. */
export const deadLettersAttention = (database: Pick<Database, 'read'>): AttentionSource => ({
  name: 'dead_letters',
  access: MEMBER,
  async list(scope, limit) {
    const counts = await countLettersByHandler(database, scope, limit);
    return counts.map(({ name, count }) => ({
      kind: 'handler',
      name,
      state: 'dead_letters',
      detail:
        count === 1
          ? 'a delivery failed permanently; deliver it again, or dismiss it'
          : `${count} deliveries failed permanently; deliver them again, or dismiss them`,
    }));
  },
});
