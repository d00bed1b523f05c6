import {
  type Database,
  type IterationResult,
  retryUnknownCommit,
  type Sealer,
  yieldToEventLoop,
} from '../../../../kernel/contracts/index.ts';
import { ANY_RUN, type RunReader } from '../../../engine/runs/contract.ts';
import type { EventLog, ProjectScope } from '../../../events/bus/contract.ts';
import type { RunMasks } from '../../../security/masking/contract.ts';
import type { Term } from '../domain/query.ts';
import { type RunTexts, termsOf } from '../domain/run-terms.ts';
import { type Cursor, insertCursor, moveCursor, readCursors } from '../store/cursors.ts';
import { insertTerms } from '../store/terms.ts';
import { readTexts } from './read-texts.ts';

export interface RunIndexDeps {
  database: Database;
  sealer: Sealer;
  log: Pick<EventLog, 'heads' | 'page'>;
  reader: Pick<RunReader, 'list' | 'listed' | 'searchable' | 'recordedSteps'>;
  masks: Pick<RunMasks, 'maskEach'>;
}

export const ENDS = ['run.succeeded', 'run.failed', 'run.cancelled'] as const;
const ENDED = ['succeeded', 'failed', 'cancelled'] as const;
/** Projects whose heads are read together. */
const PROJECTS_PAGE = 100;
/** Runs that one transaction indexes. */
const BATCH = 32;
/** Bytes of outputs whose words are found in one turn. */
const GROUP_BYTES = 64 * 1024;
/** Batches of one project before the next project has its turn. */
const BATCHES = 4;

/** Makes the term that the index stores. The same key makes all terms of a project. */
export const digestOf = (
  sealer: Pick<Sealer, 'digest'>,
  { org_id, project_id }: ProjectScope,
  { kind, text }: Term,
  key_version?: number,
) => sealer.digest({ org_id, project_id, table: 'run_search_terms', kind, field: 'term' }, text, key_version);

/**
 * Adds the runs that have ended to the index, in the order in which their ends were announced. The cursor moves in the
 * transaction that stores the terms, and only from where it was read: nothing is missed when a server is killed, and
 * several servers may index the same project. Runs that ended before the index was there follow from the newest to the
 * oldest.
 */
export class RunIndex {
  readonly #deps: RunIndexDeps;

  constructor(deps: RunIndexDeps) {
    this.#deps = deps;
  }

  /** One round over all projects. */
  async iterate(): Promise<IterationResult> {
    const { database, log } = this.#deps;
    let [processed, hasMore, after] = [0, false, ''];
    for (;;) {
      const heads = await log.heads(after, PROJECTS_PAGE);
      const last = heads.at(-1);
      if (last === undefined) return { processed, hasMore };
      after = last.project_id;
      const cursors = await readCursors(
        database,
        heads.map(({ project_id }) => project_id),
      );
      for (const { last_seq, ...scope } of heads) {
        const cursor = cursors.get(scope.project_id);
        if (cursor !== undefined && cursor.older === null && cursor.seq >= last_seq) continue;
        const done = await this.#visit(scope, cursor ?? (await this.#begin(scope, last_seq)), last_seq);
        processed += done.runs;
        hasMore ||= done.more;
      }
      if (heads.length < PROJECTS_PAGE) return { processed, hasMore };
    }
  }

  /** The runs that ended up to this event are those that exist now: they follow from the newest to the oldest. */
  async #begin(scope: ProjectScope, last_seq: number): Promise<Cursor> {
    const { database, sealer } = this.#deps;
    await sealer.prepare(scope.org_id);
    const { key_version } = digestOf(sealer, scope, { kind: 'step', text: '' });
    // Every id of a run is lower.
    const row = { ...scope, key_version, seq: last_seq, indexed_until: database.now(), older: 'run_~' };
    await database.transaction((tx) => insertCursor(tx, row));
    return (await readCursors(database, [scope.project_id])).get(scope.project_id) ?? row;
  }

  async #visit(scope: ProjectScope, begun: Cursor, last_seq: number): Promise<{ runs: number; more: boolean }> {
    await this.#deps.sealer.prepare(scope.org_id);
    let [cursor, runs]: [Cursor | undefined, number] = [begun, 0];
    for (let left = BATCHES; left > 0 && cursor !== undefined; left -= 1) {
      const behind: boolean = cursor.seq < last_seq;
      if (!behind && cursor.older === null) return { runs, more: false };
      const next: { run_ids: string[]; to: Cursor } = behind
        ? await this.#announced(cursor, last_seq)
        : await this.#earlier(cursor);
      runs += next.run_ids.length;
      cursor = (await this.#store(scope, next.run_ids, cursor, next.to)) ? next.to : undefined;
    }
    return { runs, more: true };
  }

  async #announced(cursor: Cursor, last_seq: number): Promise<{ run_ids: string[]; to: Cursor }> {
    const { log } = this.#deps;
    const pages = [];
    for (const type of ENDS)
      pages.push(await log.page(cursor, { type, after: cursor.seq, before: last_seq + 1, limit: BATCH }));
    const events = pages
      .flat()
      .toSorted((a, b) => a.seq - b.seq)
      .slice(0, BATCH);
    const last = events.at(-1);
    // A full batch ends at its last event. Otherwise no end was announced after it.
    const to =
      last !== undefined && events.length === BATCH
        ? { seq: last.seq, indexed_until: last.recorded_at }
        : { seq: last_seq, indexed_until: this.#deps.database.now() };
    return { run_ids: [...new Set(events.map(({ source_name }) => source_name))], to: { ...cursor, ...to } };
  }

  async #earlier(cursor: Cursor): Promise<{ run_ids: string[]; to: Cursor }> {
    const { run_ids, next } = await this.#deps.reader.list(cursor.project_id, {
      ...ANY_RUN,
      statuses: [...ENDED],
      limit: BATCH,
      before: cursor.older ?? undefined,
    });
    return { run_ids, to: { ...cursor, older: next ?? null } };
  }

  /** Returns false when another server has moved the cursor. */
  async #store(scope: ProjectScope, run_ids: readonly string[], from: Cursor, to: Cursor): Promise<boolean> {
    const { database } = this.#deps;
    const rows = await this.#termsOf(scope, run_ids, from.key_version);
    return retryUnknownCommit(() =>
      database.transaction(async (tx) => {
        if (!(await moveCursor(tx, from, to))) return false;
        if (rows.length > 0) await insertTerms(tx, rows);
        return true;
      }),
    );
  }

  async #termsOf(scope: ProjectScope, run_ids: readonly string[], key_version: number) {
    const { reader, masks, sealer } = this.#deps;
    const texts: RunTexts[] = [];
    for (const run of await reader.listed(scope, run_ids)) {
      const found = await readTexts(reader, scope, run);
      if (found !== undefined) texts.push(found);
    }
    const rows: [project_id: string, term: string, run_id: string][] = [];
    for (const group of groupsOf(texts)) {
      const terms = await masks.maskEach(scope, group, (one, masker) =>
        termsOf(one, masker).map((term) => ({ term, run_id: one.run_id })),
      );
      for (const { term, run_id } of terms.flat())
        rows.push([scope.project_id, digestOf(sealer, scope, term, key_version).hex, run_id]);
      await yieldToEventLoop();
    }
    return rows;
  }
}

/** Splits runs into groups of little text: the words of one group are found in one turn of the event loop. */
function groupsOf(texts: readonly RunTexts[]): RunTexts[][] {
  const groups: RunTexts[][] = [];
  let free_bytes = 0;
  for (const one of texts) {
    const bytes = one.outputs.reduce((sum, output) => sum + output.bytes.length, 0);
    if (groups.length === 0 || bytes > free_bytes) {
      groups.push([]);
      free_bytes = GROUP_BYTES;
    }
    groups.at(-1)!.push(one);
    free_bytes -= bytes;
  }
  return groups;
}
