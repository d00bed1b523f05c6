import { chunks, encodeCursor, Errors, isId, type Queries, type Sealer } from '../../../kernel/contracts/index.ts';
import { SharedReads } from '../../database/contract.ts';
import type { Masker, RunMasks } from '../../masking/contract.ts';
import { type Tracer, traceIdOf } from '../../tracing/contract.ts';
import type { Run, RunStatus } from '../contract.ts';
import type { Reader } from '../store/parts.ts';
import { readRun, readRuns, readStatus } from '../store/reading.ts';
import type { JobFacts, KnownFacts } from '../store/known-facts.ts';
import { readEnded, readFacts, readVersions, type RunVersion } from '../store/run-lists.ts';
import { listRuns, type RunFilter } from '../store/run-search.ts';
import { maskedCalls, maskedRun } from './masked.ts';
import { renderUnderWay } from './render.ts';
import type { CallsUnderWay } from './under-way.ts';

/** Runs in one read: the output of each may have 4 MiB. */
const READ_TOGETHER = 16;

/** Calls under way that the record of a run names. */
const MOST_UNDER_WAY = 20;

/** Bytes of outputs on one page of runs. A page becomes shorter rather than larger. */
const PAGE_BYTES = 8 * 1024 * 1024;

interface Scope {
  org_id: string;
  project_id: string;
}

const ENDED: RunVersion = { text: 'over', over: true };

/** Ids hold no spaces. */
const keyOf = ({ org_id, project_id }: Scope, run_id: string) => `${org_id} ${project_id} ${run_id}`;
function placeOf(key: string): Scope & { run_id: string } {
  const [org_id = '', project_id = '', run_id = ''] = key.split(' ');
  return { org_id, project_id, run_id };
}

/** Views of runs. Every query contains the project: a foreign run looks absent. */
export interface RunViews {
  /** Throws `not_found`. */
  read(scope: Scope, run_id: string, within?: Queries): Promise<Run>;
  /** The run with what agents carry out of it now. */
  withRunning(scope: Scope, run: Run): Promise<Run>;
  list(scope: Scope, filter: RunFilter): Promise<{ runs: Run[]; next_cursor?: string }>;
  /** Throws `not_found`. */
  status(run_id: string): Promise<RunStatus>;
  /** Those that have ended, with a text that does not change. */
  ended(run_ids: readonly string[]): Promise<Map<string, RunVersion>>;
  /** Missing runs are left out. */
  versions(run_ids: readonly string[]): Promise<Map<string, RunVersion>>;
  facts(run_id: string): Promise<JobFacts>;
}

/** A possible run id. Throws `not_found` for any other text. */
export function runId(text: string | undefined): string {
  if (text !== undefined && isId(text)) return text;
  throw noRun(text ?? '');
}

export const noRun = (run_id: string) => Errors.notFound(`no run ${run_id.slice(0, 64)} in this project`);

function known<T>(run_id: string, found: T | undefined): T {
  if (found === undefined) throw noRun(run_id);
  return found;
}

export interface RunViewsParts {
  on: Reader;
  sealer: Sealer;
  masks: Pick<RunMasks, 'of' | 'ofMany'>;
  under_way: Pick<CallsUnderWay, 'of'>;
  tracer?: Pick<Tracer, 'pageOf'> | undefined;
  known_facts?: Pick<KnownFacts, 'take'>;
}

/** Secret values of a run are masked everywhere, except in texts of its callers. */
export function createRunViews({ on, sealer, masks, under_way, tracer, known_facts }: RunViewsParts): RunViews {
  const shown = (run: Run, masker: Masker) => traced(maskedRun(run, masker), tracer);
  const masked = async (scope: Scope, ids: readonly string[]): Promise<Run[]> => {
    const runs = await readRuns(on, sealer, scope, ids);
    const maskers = runs.length > 0 ? await masks.ofMany(scope, ids) : new Map();
    return runs.map((run) => shown(run, maskers.get(run.run_id)!));
  };
  const runs = new SharedReads<Run>(async (keys) => {
    const found = new Map<string, Run>();
    for (const own of Map.groupBy(keys.map(placeOf), ({ org_id, project_id }) => `${org_id} ${project_id}`).values())
      for (const run of await masked(
        own[0]!,
        own.map(({ run_id }) => run_id),
      ))
        found.set(keyOf(own[0]!, run.run_id), run);
    return found;
  }, READ_TOGETHER);
  const facts = new SharedReads<JobFacts>((ids) => readFacts(on, sealer, ids));
  return {
    async read({ org_id, project_id }, run_id, within) {
      if (!within) return known(run_id, await runs.of(keyOf({ org_id, project_id }, runId(run_id))));
      const run = await readRun(within, sealer, { org_id, project_id }, runId(run_id));
      return shown(run, await masks.of({ org_id, project_id, run_id }, within));
    },
    async withRunning({ org_id, project_id }, run) {
      const { run_id } = run;
      // One that waits may wait for a child that is carried out.
      const open = run.status === 'running' || run.status === 'waiting';
      const calls = open ? await under_way.of(on, run_id) : [];
      if (calls.length === 0) return run;
      const oldest = calls.toSorted((a, b) => a.since - b.since).slice(0, MOST_UNDER_WAY);
      const named = maskedCalls(oldest, await masks.of({ org_id, project_id, run_id }));
      return { ...run, running: named.map(renderUnderWay) };
    },
    async list(scope, filter) {
      const { ids, next } = fitting(await listRuns(on, scope.project_id, filter), filter.limit);
      return { runs: await masked(scope, ids), next_cursor: next && encodeCursor(next) };
    },
    status: async (run_id) => known(run_id, await readStatus(on, run_id)),
    versions: (run_ids) => readVersions(on, run_ids),
    ended: async (run_ids) => {
      const found = new Map<string, RunVersion>();
      for (const some of chunks(run_ids)) for (const id of await readEnded(on, some)) found.set(id, ENDED);
      return found;
    },
    facts: async (run_id) => known_facts?.take(run_id) ?? known(run_id, await facts.of(run_id)),
  };
}

/** The trace of a run that nobody else traced comes from its id. */
function traced(run: Run, tracer: Pick<Tracer, 'pageOf'> | undefined): Run {
  if (!tracer) return run;
  const { trace_id = traceIdOf(run.run_id) } = run;
  return { ...run, trace_id, trace_url: tracer.pageOf(trace_id) };
}

/** The runs of a page, and the last of them when there are more. */
function fitting(
  rows: readonly { run_id: string; bytes: number | null }[],
  limit: number,
): { ids: string[]; next: string | undefined } {
  const ids: string[] = [];
  let sum = 0;
  for (const { run_id, bytes } of rows.slice(0, limit)) {
    sum += bytes ?? 0;
    if (sum > PAGE_BYTES && ids.length > 0) break;
    ids.push(run_id);
  }
  return { ids, next: ids.length < rows.length ? ids.at(-1) : undefined };
}
