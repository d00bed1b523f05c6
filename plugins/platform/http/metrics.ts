import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Metrics } from '../../../kernel/contracts/index.ts';

/** From a rejected request (0.25 ms) to a followed log that lasts as long as its run. */
const BUCKETS_SECONDS = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];

const NAME = /^svc_[a-z0-9_]+$/;

interface RegisteredMetric {
  kind: string;
  labels: string;
  metric: unknown;
}

/** Creates the metrics of this process in a separate registry. Identical declarations of one name share a metric. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const metrics = new Map<string, RegisteredMetric>();

  function getOrCreate<M>(kind: string, name: string, labels: readonly string[], make: () => M): M {
    const existing = metrics.get(name);
    const signature = labels.join(',');
    if (!NAME.test(name)) throw new Error(`metric ${name} must be snake_case and start with svc_`);
    if (existing && (existing.kind !== kind || existing.labels !== signature))
      throw new Error(`metric ${name} is declared twice with different kinds or labels`);
    if (existing) return existing.metric as M;
    const metric = make();
    metrics.set(name, { kind, labels: signature, metric });
    return metric;
  }

  return {
    counter(name, help, labels = []) {
      const labelNames = [...labels];
      const counter = getOrCreate(
        'counter',
        name,
        labels,
        () => new Counter({ name, help, labelNames, registers: [registry] }),
      );
      return { inc: (values = {}, by = 1) => counter.inc(values, by) };
    },
    histogram(name, help, labels = []) {
      const options = { name, help, labelNames: [...labels], buckets: BUCKETS_SECONDS, registers: [registry] };
      const histogram = getOrCreate('histogram', name, labels, () => new Histogram(options));
      return { observe: (values, value) => histogram.observe(values, value) };
    },
    gauge(name, help, read) {
      if (metrics.has(name)) throw new Error(`gauge ${name} is declared twice`);
      const registers = [registry];
      getOrCreate('gauge', name, [], () => {
        const gauge: Gauge = new Gauge({ name, help, registers, collect: async () => gauge.set(await read()) });
        return gauge;
      });
    },
    async render() {
      return { text: await registry.metrics(), type: registry.contentType };
    },
  };
}
