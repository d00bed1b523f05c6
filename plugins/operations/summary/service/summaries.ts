import { type Clock, type Database, iso, type Scope } from '../../../../kernel/contracts/index.ts';
import type { AgentStats } from '../../../execution/agents/contract.ts';
import type { EventLog } from '../../../events/bus/contract.ts';
import type { ArmedWait, RunFeed, RunFigures, TaggedRun } from '../../../engine/runs/contract.ts';
import { SharedAnswers } from '../../../platform/resources/contract.ts';
import type { Summary } from '../generated/summary.ts';
import { type Bucket, type Counts, windowMinutes, type Series } from './series.ts';
import { type Window, WINDOWS } from './windows.ts';

/** Runs with this tag try a node or a draft. They are not counted, because somebody only wants to see what happens. */
const TRIAL = 'trial';
/** At most this many trials are left out. */
const MAX_TRIALS = 1000;
/** Requests within this time share one answer. */
const AGE_MS = 1000;
/** Unfinished runs of one status are counted up to this. */
export const MAX_COUNTED = 100_000;
/** At most this many waiting and queued runs are read for their waits, oldest first. */
export const MAX_WAITING = 1000;
const MAX_GROUPS = 50;
const MAX_LISTED = 10;
const MESSAGE_LENGTH = 200;

type SummaryStats = Omit<Summary, 'attention'>;

export interface SummaryDeps {
  clock: Clock;
  database: Pick<Database, 'now'>;
  series: Pick<Series, 'read'>;
  log: Pick<EventLog, 'latest'>;
  feed: Pick<RunFeed, 'records'>;
  run_stats: Pick<RunFigures, 'counts' | 'tagged' | 'waits'>;
  agents: AgentStats;
}

/** Computes the summaries of projects. It reads no finished runs except the last few that failed. */
export class Summaries {
  readonly #deps: SummaryDeps;
  readonly #shared: SharedAnswers<SummaryStats>;

  constructor(deps: SummaryDeps) {
    this.#deps = deps;
    this.#shared = new SharedAnswers(deps.clock, AGE_MS);
  }

  read(scope: Scope, window: Window): Promise<SummaryStats> {
    return this.#shared.get(`${scope.project_id} ${window}`, () => this.#compute(scope, window));
  }

  async #compute(scope: Scope, window: Window): Promise<SummaryStats> {
    const { database, series, run_stats, agents } = this.#deps;
    const counted = await series.read(scope.project_id, window);
    const since = counted[0]!.at;
    const buckets = without(counted, await run_stats.tagged(scope.project_id, TRIAL, since, MAX_TRIALS));
    const now = database.now();
    const counts = await run_stats.counts(scope.project_id, MAX_COUNTED);
    const waits = await run_stats.waits(scope, MAX_WAITING);
    const ended = {
      succeeded: sumCounts(buckets, 'run.succeeded'),
      failed: sumCounts(buckets, 'run.failed'),
      cancelled: sumCounts(buckets, 'run.cancelled'),
    };
    const all = ended.succeeded + ended.failed + ended.cancelled;
    return {
      window,
      since: iso(since),
      at: iso(now),
      runs: { ...counts, ...ended },
      bucket_ms: WINDOWS[window].bucket_ms,
      series: buckets.map(toBucketView),
      throughput: roundTo3(all / windowMinutes(window, now)),
      failure_rate: all === 0 ? 0 : roundTo3(ended.failed / all),
      waits: {
        groups: groupWaits(waits),
        oldest: waits
          .toSorted((a, b) => a.since - b.since)
          .slice(0, MAX_LISTED)
          .map(toWaitView),
        complete: Math.max(counts.waiting, counts.queued) <= MAX_WAITING,
      },
      agents: await agents.readStats(scope.org_id),
      failures: await this.#failures(scope),
    };
  }

  async #failures(scope: Scope): Promise<SummaryStats['failures']> {
    const { log, feed } = this.#deps;
    const events = await log.latest(scope, 'run.failed', 3 * MAX_LISTED);
    const runs = await feed.records(
      scope,
      events.map(({ source_name }) => source_name),
    );
    const real = runs.filter(({ tags }) => !tags.includes(TRIAL)).slice(0, MAX_LISTED);
    return real.map(({ run_id, workflow, finished_at, error }) => ({
      run_id,
      workflow,
      finished_at,
      code: error?.code ?? 'failed',
      message: truncate(error?.message ?? ''),
    }));
  }
}

const sumCounts = (buckets: readonly Bucket[], type: keyof Counts): number =>
  buckets.reduce((sum, { counts }) => sum + counts[type], 0);

/** The buckets without these runs. Events can be slightly later than their runs' times, so nothing goes below zero. */
function without(buckets: readonly Bucket[], runs: readonly TaggedRun[]): Bucket[] {
  const found = buckets.map(({ at, counts }) => ({ at, counts: { ...counts } }));
  const remove = (at: number | null, type: keyof Counts) => {
    const counts = at === null ? undefined : found.findLast((bucket) => bucket.at <= at)?.counts;
    if (counts) counts[type] = Math.max(0, counts[type] - 1);
  };
  for (const { status, started_at, finished_at } of runs) {
    remove(started_at, 'run.started');
    if (status === 'succeeded' || status === 'failed' || status === 'cancelled') remove(finished_at, `run.${status}`);
  }
  return found;
}

const toBucketView = ({ at, counts }: Bucket): SummaryStats['series'][number] => ({
  at: iso(at),
  started: counts['run.started'],
  succeeded: counts['run.succeeded'],
  failed: counts['run.failed'],
  cancelled: counts['run.cancelled'],
});

/** Groups the waits by kind and name, largest group first. */
function groupWaits(waits: readonly ArmedWait[]): SummaryStats['waits']['groups'] {
  const groups = new Map<string, SummaryStats['waits']['groups'][number]>();
  for (const { kind, name } of waits) {
    const key = `${kind} ${name}`;
    const group = groups.get(key) ?? { kind, name, count: 0 };
    group.count += 1;
    groups.set(key, group);
  }
  return [...groups.values()].toSorted((a, b) => b.count - a.count).slice(0, MAX_GROUPS);
}

const toWaitView = ({ since, deadline, ...wait }: ArmedWait): SummaryStats['waits']['oldest'][number] => ({
  ...wait,
  since: iso(since),
  deadline: deadline === null ? undefined : iso(deadline),
});

const roundTo3 = (value: number): number => Math.round(value * 1000) / 1000;

function truncate(text: string): string {
  const points = [...text.slice(0, 2 * MESSAGE_LENGTH)];
  return points.length <= MESSAGE_LENGTH ? text : `${points.slice(0, MESSAGE_LENGTH - 1).join('')}…`;
}
