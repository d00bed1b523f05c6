import type { Clock, Log, Metrics } from '../../../kernel/contracts/index.ts';
import type { Tracer } from '../tracing/contract.ts';
import type { RequestContext } from './request-context.ts';
import { endTrace } from './request-trace.ts';

/** Paths that machines request every few seconds. */
const QUIET = new Set(['/healthz', '/readyz', '/metrics']);

/** Writes a log line and a metric for each answer. They contain patterns, ids and counts, never a query, header or body. */
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
      'Time from the head of a request to the end of its response.',
      ['method', 'route', 'status'],
    );
  }

  write(context: RequestContext): void {
    const { request, response, pattern, id, principal, sent, trace } = context;
    const duration_ms = this.#clock.monotonic() - context.started;
    const complete = response.writableFinished;
    const method = request.method ?? '';
    const status = response.statusCode;
    this.#durations.observe({ method, route: pattern, status: String(status) }, duration_ms / 1000);
    const fields = {
      request_id: id,
      method,
      route: pattern,
      status,
      duration_ms: Math.round(duration_ms * 1000) / 1000,
      bytes: sent,
      principal: principal?.id,
      cut: complete ? undefined : true,
      trace_id: trace?.context.trace_id,
      span_id: trace?.context.span_id,
    };
    if (this.#tracer && trace)
      endTrace(this.#tracer, trace, {
        request_id: id,
        method,
        route: pattern,
        status,
        duration_ms: duration_ms,
        ended_at: this.#clock.now(),
        truncated: !complete,
      });
    if (QUIET.has(pattern)) this.#log.debug(fields, 'request');
    else this.#log.info(fields, 'request');
  }
}
