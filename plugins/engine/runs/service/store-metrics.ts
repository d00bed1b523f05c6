import type { Clock, Metrics } from '../../../../kernel/contracts/index.ts';
import type { RunObserver, RunStore } from '../contract.ts';

/** Counts committed run transitions by type; a retried transaction counts once. */
export function countTransitions(metrics: Metrics): RunObserver {
  const transitions = metrics.counter('svc_runs_transitions_total', 'Runs started and ended, by status.', ['status']);
  return {
    name: 'runs.metrics',
    async onTransitions(tx, runs) {
      tx.afterCommit(() => {
        for (const { type } of runs) transitions.inc({ status: type.slice('run.'.length) });
      });
    },
  };
}

/** The same store with counters and timings. */
export function measuredStore(store: RunStore, metrics: Metrics, clock: Clock, latency: Histogram): RunStore {
  const meters = metersOf(metrics);
  const timed = async <T>(histogram: Histogram, work: () => Promise<T>): Promise<T> => {
    const began = clock.monotonic();
    const result = await work();
    histogram.observe({}, (clock.monotonic() - began) / 1000);
    return result;
  };
  return {
    ...store,
    async createRun(run) {
      const result = await store.createRun(run);
      if (!result.duplicate) meters.submitted.inc();
      return result;
    },
    async claim(by, limit, lease_ms) {
      const work = await timed(meters.claim, () => store.claim(by, limit, lease_ms));
      for (const { waited_ms } of work) if (waited_ms !== undefined) latency.observe({}, waited_ms / 1000);
      return work;
    },
    append(claim, record) {
      return timed(meters.append, () => store.append(claim, record));
    },
    async expireClaims(limit) {
      const count = await store.expireClaims(limit);
      if (count > 0) meters.expired.inc({}, count);
      return count;
    },
  };
}

type Histogram = ReturnType<Metrics['histogram']>;

export const claimLatency = (metrics: Metrics): Histogram =>
  metrics.histogram('svc_runs_claim_latency_seconds', 'Time from when work became claimable to its claim.');

/** The histogram counts appends and claims; no counter repeats it. */
const metersOf = (metrics: Metrics) => ({
  submitted: metrics.counter('svc_runs_submitted_total', 'Runs accepted, without duplicates.'),
  expired: metrics.counter('svc_runs_claims_expired_total', 'Claims that expired because they were not renewed.'),
  claim: metrics.histogram('svc_runs_claim_seconds', 'Duration of the claim of one batch.'),
  append: metrics.histogram('svc_runs_journal_append_seconds', 'Time from the append of a record to its commit.'),
});
