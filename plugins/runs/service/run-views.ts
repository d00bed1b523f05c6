import type { Param, Queries, Sealer } from '../../../kernel/contracts/index.ts';
import { Errors, token } from '../../../kernel/contracts/index.ts';
import type { Run, RunStatus } from '../contract.ts';
import type { RunMasks } from '../../masking/contract.ts';
import { maskedRun, maskedRuns } from './masked.ts';
import { readRun } from '../store/reading.ts';
import { inList, parts } from '../store/batches.ts';
import { keyOf } from '../store/keys.ts';
import { encodeCursor, isId } from './cursor.ts';
import type { JobFacts } from './environments.ts';
import type { RunFilter } from './run-filter.ts';
import { type Reader, readRuns } from './run-rows.ts';

/** Outputs of one page of runs: a page is shorter than asked for rather than larger than this. */
const PAGE_BYTES = 8 * 1024 * 1024;

/** Runs as others see them. Every question carries the project: a foreign run answers like none. */
export interface RunViews {
  /** Throws `not_found`. */
  read(scope: { org_id: string; project_id: string }, run_id: string): Promise<Run>;
  list(project_id: string, filter: RunFilter): Promise<{ runs: Run[]; next_cursor?: string }>;
  /** Throws `not_found`. */
  status(run_id: string): Promise<RunStatus>;
  /** A text per run that changes whenever its status or its log does. */
  versions(run_ids: readonly string[]): Promise<Map<string, string>>;
  facts(run_id: string): Promise<JobFacts>;
}

export const RunViews = token<RunViews>('runs.RunViews');

/** The id, when it can be one; throws `not_found` for any other text. */
export function runId(text: string | undefined): string {
  if (text !== undefined && isId(text)) return text;
  throw noRun(text ?? '');
}

export const noRun = (run_id: string) => Errors.notFound(`no run ${run_id.slice(0, 64)} in this project`);

/** What a run was given is masked in everything that it shows; its callers' own texts are theirs. */
export function createRunViews(on: Reader, sealer: Sealer, masks: Pick<RunMasks, 'of' | 'ofMany'>): RunViews {
  return {
    async read(scope, run_id) {
      const run = await readRun(on, sealer, scope, runId(run_id));
      return maskedRun(run, await masks.of(run));
    },
    async list(project_id, filter) {
      const page = await pageOf(on, project_id, filter);
      const runs = await maskedRuns(masks, await readRuns(on, sealer, project_id, page.ids));
      return page.more ? { runs, next_cursor: encodeCursor([page.ids.at(-1)!]) } : { runs };
    },
    async status(run_id) {
      const [row] = await on.read<{ status: RunStatus }>('SELECT status FROM runs_runs WHERE run_id = ?', [run_id]);
      if (!row) throw noRun(run_id);
      return row.status;
    },
    versions: (run_ids) => versions(on, run_ids),
    facts: (run_id) => facts(on, run_id),
  };
}

async function pageOf(on: Reader, project_id: string, filter: RunFilter): Promise<{ ids: string[]; more: boolean }> {
  const { text, params } = pageQuery(project_id, filter);
  const rows = await on.read<{ run_id: string; bytes: number | null }>(text, params);
  const ids: string[] = [];
  let bytes = 0;
  for (const row of rows.slice(0, filter.limit)) {
    bytes += row.bytes ?? 0;
    if (bytes > PAGE_BYTES && ids.length > 0) break;
    ids.push(row.run_id);
  }
  return { ids, more: ids.length < rows.length };
}

function pageQuery(project_id: string, filter: RunFilter): { text: string; params: Param[] } {
  // With a tag the index of the tags leads, else that of the runs: either is read from its newest end.
  const lead = filter.tag === undefined ? 'r' : 't';
  const where = [`${lead}.project_id = ?`];
  const params: Param[] = [project_id];
  const also = (condition: string, ...values: Param[]) => {
    where.push(condition);
    params.push(...values);
  };
  if (filter.tag !== undefined) also('t.tag_key = ?', keyOf('tag', filter.tag));
  if (filter.statuses.length > 0) also(`r.status IN (${filter.statuses.map(() => '?').join(',')})`, ...filter.statuses);
  // HEX compares by bytes in both families; a binary collation of MySQL would ignore trailing spaces.
  if (filter.workflow !== undefined)
    also('HEX(r.workflow) = ?', Buffer.from(filter.workflow).toString('hex').toUpperCase());
  if (filter.since !== undefined) also('r.created_at >= ?', filter.since);
  if (filter.before !== undefined) also(`${lead}.run_id < ?`, filter.before);
  const from = filter.tag === undefined ? 'runs_runs r' : 'runs_tags t JOIN runs_runs r ON r.run_id = t.run_id';
  const text = `SELECT r.run_id, LENGTH(r.output) AS bytes FROM ${from} WHERE ${where.join(' AND ')}
    ORDER BY ${lead}.run_id DESC LIMIT ${Math.trunc(filter.limit) + 1}`;
  return { text, params };
}

async function versions(on: Pick<Queries, 'read'>, run_ids: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const part of parts(run_ids)) {
    const list = inList(part);
    const rows = await on.read<{ run_id: string; status: string; next_seq: number | null }>(
      `SELECT r.run_id, r.status, h.next_seq FROM runs_runs r LEFT JOIN runs_log_heads h ON h.run_id = r.run_id
       WHERE r.run_id IN ${list.marks}`,
      list.params,
    );
    for (const row of rows) found.set(row.run_id, `${row.status} ${row.next_seq ?? 0}`);
  }
  return found;
}

async function facts(on: Reader, run_id: string): Promise<JobFacts> {
  const [row] = await on.read<{ subject: string | null; generation: number; env: string; credentials: string | null }>(
    'SELECT subject, generation, env, credentials FROM runs_runs WHERE run_id = ?',
    [run_id],
  );
  if (!row) throw noRun(run_id);
  const { subject, generation } = row;
  const map = (text: string | null) => JSON.parse(text ?? '{}') as Record<string, string>;
  return { subject, generation, env: map(row.env), credentials: map(row.credentials) };
}
