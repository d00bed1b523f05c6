import type { Clock, Log, Metrics } from '../../kernel/contracts/index.ts';
import type { Tracer } from '../tracing/contract.ts';
import type { Exchange } from './exchange.ts';
import { endTrace } from './request-trace.ts';

/** Paths that machines request every few seconds. */
const QUIET = new Set(['/healthz', '/readyz', '/metrics']);

/** One log line and one metric for each answer: patterns, ids and counts, never a query, header or body. */
export class AccessLog {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #durations: ReturnType<Metrics['histogram']>;

  readonly #tracer: Tracer | undefined;

  constructor(log: Log, clock: Clock, metrics: Metrics, tracer: Tracer | undefined) {
    this.#log = log;
    this.#clock = clock;
    this.#tracer = tracer;
    this.#durations = metrics.histogram(
      'svc_http_request_duration_seconds',
      'From the head of a request to the end of its answer.',
      ['method', 'route', 'status'],
    );
  }

  write(exchange: Exchange): void {
    const { request, response, pattern, id, principal, sent, trace } = exchange;
    const spent_ms = this.#clock.monotonic() - exchange.started;
    const whole = response.writableFinished;
    const method = request.method ?? '';
    const status = response.statusCode;
    this.#durations.observe({ method, route: pattern, status: String(status) }, spent_ms / 1000);
    const fields = {
      request_id: id,
      method,
      route: pattern,
      status,
      duration_ms: Math.round(spent_ms * 1000) / 1000,
      bytes: sent,
      principal: principal?.id,
      cut: whole ? undefined : true,
      trace_id: trace?.context.trace_id,
      span_id: trace?.context.span_id,
    };
    if (this.#tracer && trace)
      endTrace(this.#tracer, trace, {
        ...{ request_id: id, method, route: pattern, status, duration_ms: spent_ms, ended_at: this.#clock.now() },
        cut: !whole,
      });
    if (QUIET.has(pattern)) this.#log.debug(fields, 'request');
    else this.#log.info(fields, 'request');
  }
}
