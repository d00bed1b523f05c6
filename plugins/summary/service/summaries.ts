import { type Clock, type Database, iso, type Scope } from '../../../kernel/contracts/index.ts';
import type { AgentFigures } from '../../agents/contract.ts';
import type { EventLog } from '../../bus/contract.ts';
import type { ArmedWait, RunFeed, RunFigures } from '../../runs/contract.ts';
import type { Summary } from '../generated/summary.ts';
import { type Bucket, type Counts, minutesOf, type Series } from './series.ts';
import { Shared } from './shared.ts';
import { type Window, WINDOWS } from './windows.ts';

/** Who looks within it is answered the same. */
const AGE_MS = 1000;
/** Unfinished runs of one status are counted up to this. */
export const MAX_COUNTED = 100_000;
/** Runs that wait, and runs that are queued, whose waits are looked at: the oldest. */
export const MAX_WAITING = 1000;
const MAX_GROUPS = 50;
const SHOWN = 10;
const MESSAGE_LENGTH = 200;

type Figures = Omit<Summary, 'attention'>;

export interface SummaryParts {
  clock: Clock;
  database: Pick<Database, 'now'>;
  series: Pick<Series, 'read'>;
  log: Pick<EventLog, 'latest'>;
  feed: Pick<RunFeed, 'records'>;
  figures: Pick<RunFigures, 'counts' | 'waits'>;
  agents: AgentFigures;
}

/** The figures of projects. Nothing of it reads a run that is over, but the last few that failed. */
export class Summaries {
  readonly #parts: SummaryParts;
  readonly #shared: Shared<Figures>;

  constructor(parts: SummaryParts) {
    this.#parts = parts;
    this.#shared = new Shared(parts.clock, AGE_MS);
  }

  of(scope: Scope, window: Window): Promise<Figures> {
    return this.#shared.get(`${scope.project_id} ${window}`, () => this.#read(scope, window));
  }

  async #read(scope: Scope, window: Window): Promise<Figures> {
    const { database, series, figures, agents } = this.#parts;
    const buckets = await series.read(scope.project_id, window);
    const now = database.now();
    const counts = await figures.counts(scope.project_id, MAX_COUNTED);
    const waits = await figures.waits(scope, MAX_WAITING);
    const ended = {
      succeeded: sumOf(buckets, 'run.succeeded'),
      failed: sumOf(buckets, 'run.failed'),
      cancelled: sumOf(buckets, 'run.cancelled'),
    };
    const all = ended.succeeded + ended.failed + ended.cancelled;
    return {
      window,
      since: iso(buckets[0]!.at),
      at: iso(now),
      runs: { ...counts, ...ended },
      bucket_ms: WINDOWS[window].bucket_ms,
      series: buckets.map(viewOf),
      throughput: rounded(all / minutesOf(window, now)),
      failure_rate: all === 0 ? 0 : rounded(ended.failed / all),
      waits: {
        groups: groupsOf(waits),
        oldest: waits
          .toSorted((a, b) => a.since - b.since)
          .slice(0, SHOWN)
          .map(viewOfWait),
        complete: Math.max(counts.waiting, counts.queued) <= MAX_WAITING,
      },
      agents: await agents.of(scope.org_id),
      failures: await this.#failures(scope),
    };
  }

  async #failures(scope: Scope): Promise<Figures['failures']> {
    const { log, feed } = this.#parts;
    const events = await log.latest(scope, 'run.failed', SHOWN);
    const runs = await feed.records(
      scope,
      events.map(({ source_name }) => source_name),
    );
    return runs.map(({ run_id, workflow, finished_at, error }) => ({
      run_id,
      workflow,
      finished_at,
      code: error?.code ?? 'failed',
      message: cut(error?.message ?? ''),
    }));
  }
}

const sumOf = (buckets: readonly Bucket[], type: keyof Counts): number =>
  buckets.reduce((sum, { counts }) => sum + counts[type], 0);

const viewOf = ({ at, counts }: Bucket): Figures['series'][number] => ({
  at: iso(at),
  started: counts['run.started'],
  succeeded: counts['run.succeeded'],
  failed: counts['run.failed'],
  cancelled: counts['run.cancelled'],
});

/** The largest first. */
function groupsOf(waits: readonly ArmedWait[]): Figures['waits']['groups'] {
  const groups = new Map<string, Figures['waits']['groups'][number]>();
  for (const { kind, name } of waits) {
    const key = `${kind} ${name}`;
    const group = groups.get(key) ?? { kind, name, count: 0 };
    group.count += 1;
    groups.set(key, group);
  }
  return [...groups.values()].toSorted((a, b) => b.count - a.count).slice(0, MAX_GROUPS);
}

const viewOfWait = ({ since, deadline, ...wait }: ArmedWait): Figures['waits']['oldest'][number] => ({
  ...wait,
  since: iso(since),
  ...(deadline !== null && { deadline: iso(deadline) }),
});

const rounded = (value: number): number => Math.round(value * 1000) / 1000;

function cut(text: string): string {
  const points = [...text.slice(0, 2 * MESSAGE_LENGTH)];
  return points.length <= MESSAGE_LENGTH ? text : `${points.slice(0, MESSAGE_LENGTH - 1).join('')}…`;
}
