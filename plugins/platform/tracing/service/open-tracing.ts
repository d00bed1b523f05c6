import { hostname } from 'node:os';
import { Clock, Ids, Log, Metrics, type Resolve, Settings, type Stop } from '../../../../kernel/contracts/index.ts';
import type { Tracing } from '../contract.ts';
import type { TracingSettings } from '../domain/settings.ts';
import { traceLogLines } from './log-lines.ts';
import { openExporter } from './otlp.ts';
import { SpanQueue } from './span-queue.ts';
import { OtlpTracer } from './tracer.ts';

/** A request in flight keeps the process alive, and users of `svc run` wait for its end. */
const LOCAL_TIMEOUT_MS = 2000;

/** Starts tracing. This module is loaded only when there is an endpoint. */
export function openTracing(use: Resolve, settings: TracingSettings): { on: Tracing['on']; stop: Stop } {
  const { version, role } = use(Settings);
  const endpoint = { ...settings.endpoint };
  if (role === 'local') endpoint.timeout_ms = Math.min(endpoint.timeout_ms, LOCAL_TIMEOUT_MS);
  const resource = { 'service.instance.id': `${hostname()}:${process.pid}`, ...settings.resource };
  const queue = new SpanQueue({
    clock: use(Clock),
    log: use(Log).child({ plugin: 'tracing' }),
    metrics: use(Metrics),
    limits: settings.queue,
    open: () => openExporter({ ...settings, endpoint, resource }, version),
  });
  const { sampler, trace_url } = settings;
  const on = new OtlpTracer({ ids: use(Ids), queue, sampler, trace_url });
  const silence = traceLogLines(on);
  return {
    on,
    stop: async () => {
      silence();
      await queue.stop();
    },
  };
}
