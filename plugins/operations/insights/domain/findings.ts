import type { FailedAttempts, RunTimes, TimedCall, TimedRun } from '../../../engine/runs/contract.ts';
import type { Insights } from '../generated/insights.ts';

/** A finding of the response, without its advice. Its name is not masked, and the kind of a wait is that of its substate. */
type Finding<Kind extends 'waits' | 'retries' | 'slower'> = Omit<Insights[Kind][number], 'next'>;
export type WaitFinding = Finding<'waits'>;
export type RetryFinding = Finding<'retries'>;
export type SlowerFinding = Finding<'slower'>;

export interface Findings {
  waits: WaitFinding[];
  retries: RetryFinding[];
  slower: SlowerFinding[];
}

/** At most this many findings of each kind. */
export const MAX_FINDINGS = 10;
/** Waits that are shorter in total are not worth a look. */
const MIN_WAIT_MS = 1000;
/** Fewer durations say nothing about a trend. */
const MIN_SAMPLES = 8;
const MIN_GROWTH = 1.5;
const MIN_GROWTH_MS = 100;
/** Durations of one call that are kept: of more, the newest. */
const MAX_SAMPLES = 2000;
/** Waiting for an agent, or for the first activity of the run to start. */
const AGENT = 'agent';

interface Sample {
  at: number;
  ms: number;
  run_id: string;
}

const keyOf = (...names: readonly string[]): string => JSON.stringify(names);

const callKey = ({ activity_id, position }: Pick<TimedCall, 'activity_id' | 'position'>): string =>
  `${activity_id} ${position}`;

/** Gathers what the times of runs say, page by page. `now` is when open waits are measured, in epoch ms. */
export class Gathering {
  readonly #now: number;
  readonly #waits = new Map<string, WaitFinding>();
  readonly #tried = new Map<string, { call: RetryFinding; helped: boolean }>();
  readonly #samples = new Map<string, Sample[]>();

  constructor(now: number) {
    this.#now = now;
  }

  add({ runs, calls, waits, failures, truncated }: RunTimes): void {
    const run_of = new Map(runs.map((run) => [run.run_id, run]));
    for (const run of runs) this.#addQueueing(run);
    for (const { run_id, kind, name, armed_at, ended_at } of waits) {
      const run = run_of.get(run_id);
      if (run) this.#addWait(run, kind, name, { from: armed_at, to: ended_at });
    }
    const outcomes = new Map<string, TimedCall>();
    for (const call of calls) {
      const run = run_of.get(call.run_id);
      if (!run) continue;
      outcomes.set(callKey(call), call);
      if (call.succeeded) this.#addSample(run, call);
    }
    for (const failed of failures) {
      const run = run_of.get(failed.run_id);
      const outcome = outcomes.get(callKey(failed));
      // A call of a run that goes on may still succeed, and the outcome of one that was not read is unknown.
      if (run && run.finished_at !== null && (outcome !== undefined || !truncated))
        this.#addTried(run, failed, outcome);
    }
  }

  findings(): Findings {
    const waits = [...this.#waits.values()].filter(({ total_ms }) => total_ms >= MIN_WAIT_MS);
    const retries = [...this.#tried.values()].flatMap(({ call, helped }) => (!helped && call.calls >= 2 ? [call] : []));
    return {
      waits: mostBy(waits, ({ total_ms }) => total_ms),
      retries: mostBy(retries, ({ attempts }) => attempts),
      slower: mostBy(this.#slower(), ({ before_ms, after_ms }) => after_ms - before_ms),
    };
  }

  #addQueueing(run: TimedRun): void {
    const { created_at, started_at, finished_at } = run;
    if (started_at !== null || finished_at === null)
      this.#addWait(run, AGENT, '', { from: created_at, to: started_at });
  }

  #addWait(run: TimedRun, kind: string, name: string, { from, to }: { from: number; to: number | null }): void {
    const { workflow, run_id, finished_at } = run;
    const ms = Math.max(0, (to ?? finished_at ?? this.#now) - from);
    const key = keyOf(workflow, kind, name);
    const none = { workflow, kind, name, count: 0, open: 0, total_ms: 0, longest_ms: -1, run_id };
    const found = this.#waits.get(key) ?? none;
    found.count += 1;
    found.total_ms += ms;
    if (to === null && finished_at === null) found.open += 1;
    if (ms > found.longest_ms) Object.assign(found, { longest_ms: ms, run_id });
    this.#waits.set(key, found);
  }

  /** The last attempt is not among the failed ones: it is the outcome of the call. */
  #addTried({ workflow, run_id, status }: TimedRun, failed: FailedAttempts, outcome: TimedCall | undefined): void {
    const { kind, name, attempts, lost_ms } = failed;
    const key = keyOf(workflow, kind, name);
    const call: RetryFinding = { workflow, kind, name, calls: 0, attempts: 0, lost_ms: 0, run_id };
    const tried = this.#tried.get(key) ?? { call, helped: false };
    tried.call.calls += 1;
    tried.call.attempts += attempts + (outcome === undefined ? 0 : 1);
    tried.call.lost_ms += outcome === undefined ? lost_ms : outcome.ended_at - outcome.started_at;
    tried.helped ||= outcome === undefined ? status === 'succeeded' : outcome.succeeded;
    this.#tried.set(key, tried);
  }

  #addSample({ workflow, run_id }: TimedRun, { kind, name, started_at, ended_at }: TimedCall): void {
    const key = keyOf(workflow, kind, name);
    const samples = this.#samples.get(key) ?? [];
    if (samples.length < MAX_SAMPLES) samples.push({ at: started_at, ms: Math.max(0, ended_at - started_at), run_id });
    this.#samples.set(key, samples);
  }

  #slower(): SlowerFinding[] {
    return [...this.#samples].flatMap(([key, samples]) => {
      const half = Math.floor(samples.length / 2);
      if (half < MIN_SAMPLES) return [];
      const by_age = samples.toSorted((a, b) => a.at - b.at);
      const [before_ms, after_ms] = [median(by_age.slice(0, half)), median(by_age.slice(-half))];
      if (after_ms < before_ms * MIN_GROWTH || after_ms - before_ms < MIN_GROWTH_MS) return [];
      const [workflow, kind, name] = JSON.parse(key) as [string, string, string];
      const { run_id } = by_age.findLast(({ ms }) => ms >= after_ms)!;
      return [{ workflow, kind, name, before_ms, after_ms, samples: half, run_id }];
    });
  }
}

function median(samples: readonly Sample[]): number {
  const times = samples.map(({ ms }) => ms).toSorted((a, b) => a - b);
  return times[Math.floor(times.length / 2)]!;
}

const mostBy = <T>(items: readonly T[], measure: (item: T) => number): T[] =>
  items.toSorted((a, b) => measure(b) - measure(a)).slice(0, MAX_FINDINGS);
