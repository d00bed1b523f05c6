import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Metrics } from '../../kernel/contracts/index.ts';

/** From a refused request (0.25 ms) to a followed log that lasts as long as its run. */
const BUCKETS_SECONDS = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];

const NAME = /^svc_[a-z0-9_]+$/;

interface Made {
  kind: string;
  labels: string;
  metric: unknown;
}

/** Metrics of this process in their own registry. Two identical requests for one name share a metric. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const made = new Map<string, Made>();

  function once<M>(kind: string, name: string, labels: readonly string[], make: () => M): M {
    const known = made.get(name);
    const signature = labels.join(',');
    if (!NAME.test(name)) throw new Error(`metric ${name} must be snake_case and start with svc_`);
    if (known && (known.kind !== kind || known.labels !== signature))
      throw new Error(`metric ${name} is declared twice with different kinds or labels`);
    if (known) return known.metric as M;
    const metric = make();
    made.set(name, { kind, labels: signature, metric });
    return metric;
  }

  return {
    counter(name, help, labels = []) {
      const labelNames = [...labels];
      const counter = once(
        'counter',
        name,
        labels,
        () => new Counter({ name, help, labelNames, registers: [registry] }),
      );
      return { inc: (values = {}, by = 1) => counter.inc(values, by) };
    },
    histogram(name, help, labels = []) {
      const options = { name, help, labelNames: [...labels], buckets: BUCKETS_SECONDS, registers: [registry] };
      const histogram = once('histogram', name, labels, () => new Histogram(options));
      return { observe: (values, value) => histogram.observe(values, value) };
    },
    gauge(name, help, read) {
      if (made.has(name)) throw new Error(`gauge ${name} is declared twice`);
      const registers = [registry];
      once('gauge', name, [], () => {
        const gauge: Gauge = new Gauge({ name, help, registers, collect: async () => gauge.set(await read()) });
        return gauge;
      });
    },
    async render() {
      return { text: await registry.metrics(), type: registry.contentType };
    },
  };
}
