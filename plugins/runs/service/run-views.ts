import {
  chunks,
  type Database,
  encodeCursor,
  Errors,
  isId,
  type Queries,
  type Sealer,
  Turns,
} from '../../../kernel/contracts/index.ts';
import { SharedReads } from '../../database/contract.ts';
import type { Masker, RunMasks } from '../../masking/contract.ts';
import { type Tracer, traceIdOf } from '../../tracing/contract.ts';
import type { Run, RunStatus } from '../contract.ts';
import { readHeldClaims } from '../store/held-claims.ts';
import type { Reader } from '../store/parts.ts';
import { readListed, readModerate, readRun, readRuns, readStatus } from '../store/reading.ts';
import type { JobFacts, KnownFacts } from '../store/known-facts.ts';
import { readEnded, readFacts, readVersions, type RunVersion } from '../store/run-lists.ts';
import { listRuns, type RunFilter } from '../store/run-search.ts';
import { maskedCalls, maskedRun } from './masked.ts';
import { renderClaim, renderUnderWay } from './render.ts';
import type { CallsUnderWay } from './under-way.ts';

/** Runs in one read, with outputs that are not large. */
const READ_TOGETHER = 16;
/** Large outputs that are read, opened and parsed at a time: each may have 4 MiB, and much more as values. */
const LARGE_AT_ONCE = 2;

/** Calls under way, and claims, that the record of a run names. */
const MOST_UNDER_WAY = 20;

/** Bytes of the texts that callers gave to the runs of one page. A page becomes shorter rather than larger. */
const PAGE_BYTES = 256 * 1024;

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
  /** The run with what agents hold and carry out of it now. */
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
  on: Reader & Pick<Database, 'now'>;
  /** Of claims, to tell when their agents were heard of. */
  lease_ms: number;
  sealer: Sealer;
  masks: Pick<RunMasks, 'of' | 'ofMany'>;
  under_way: Pick<CallsUnderWay, 'of'>;
  tracer?: Pick<Tracer, 'pageOf'> | undefined;
  known_facts?: Pick<KnownFacts, 'take'>;
}

/** Secret values of a run are masked everywhere, except in texts of its callers. */
export function createRunViews({
  on,
  lease_ms,
  sealer,
  masks,
  under_way,
  tracer,
  known_facts,
}: RunViewsParts): RunViews {
  const shown = (run: Run, masker: Masker) => traced(maskedRun(run, masker), tracer);
  const masked = async (scope: Scope, ids: readonly string[], read: typeof readRuns): Promise<Run[]> => {
    const runs = await read(on, sealer, scope, ids);
    const maskers = runs.length > 0 ? await masks.ofMany(scope, ids) : new Map();
    return runs.map((run) => shown(run, maskers.get(run.run_id)!));
  };
  const runs = new SharedReads<Run>(async (keys) => {
    const found = new Map<string, Run>();
    for (const own of Map.groupBy(keys.map(placeOf), ({ org_id, project_id }) => `${org_id} ${project_id}`).values())
      for (const run of await masked(
        own[0]!,
        own.map(({ run_id }) => run_id),
        readModerate,
      ))
        found.set(keyOf(own[0]!, run.run_id), run);
    return found;
  }, READ_TOGETHER);
  const large = new Turns(LARGE_AT_ONCE);
  const facts = new SharedReads<JobFacts>((ids) => readFacts(on, sealer, ids));
  return {
    async read({ org_id, project_id }, run_id, within) {
      if (!within) {
        const run = known(run_id, await runs.of(keyOf({ org_id, project_id }, runId(run_id))));
        if (!run.output_omitted) return run;
        const [whole] = await large.take(() => masked({ org_id, project_id }, [run_id], readRuns));
        return known(run_id, whole);
      }
      const run = await readRun(within, sealer, { org_id, project_id }, runId(run_id));
      return shown(run, await masks.of({ org_id, project_id, run_id }, within));
    },
    async withRunning({ org_id, project_id }, run) {
      const { run_id } = run;
      // One that waits may wait for a child that is carried out.
      if (run.status !== 'running' && run.status !== 'waiting') return run;
      const [calls, held] = await Promise.all([under_way.of(on, run_id), readHeldClaims(on, run_id, MOST_UNDER_WAY)]);
      const times = { now: on.now(), lease_ms };
      if (calls.length + held.length === 0) return { ...run, claims: [] };
      const masker = await masks.of({ org_id, project_id, run_id });
      const oldest = calls.toSorted((a, b) => a.since - b.since).slice(0, MOST_UNDER_WAY);
      const running = maskedCalls(oldest, masker).map(renderUnderWay);
      const claims = held.map((one) => renderClaim({ ...one, activity: masker.text(one.activity) }, times));
      return { ...run, ...(running.length > 0 && { running }), claims };
    },
    async list(scope, filter) {
      const { rows, looked_to } = await listRuns(on, scope.project_id, filter);
      const { ids, next = looked_to } = fitting(rows, filter.limit);
      return { runs: await masked(scope, ids, readListed), next_cursor: next && encodeCursor(next) };
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
  rows: readonly { run_id: string; bytes: number }[],
  limit: number,
): { ids: string[]; next: string | undefined } {
  const ids: string[] = [];
  let sum = 0;
  for (const { run_id, bytes } of rows.slice(0, limit)) {
    sum += Number(bytes);
    if (sum > PAGE_BYTES && ids.length > 0) break;
    ids.push(run_id);
  }
  return { ids, next: ids.length < rows.length ? ids.at(-1) : undefined };
}
