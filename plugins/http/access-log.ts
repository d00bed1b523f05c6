import type { Clock, Log, Metrics } from '../../kernel/contracts/index.ts';
import type { Exchange } from './exchange.ts';

/** Paths that machines request every few seconds. */
const QUIET = new Set(['/healthz', '/readyz', '/metrics']);

/** One log line and one metric for each answer: patterns, ids and counts, never a query, header or body. */
export class AccessLog {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #durations: ReturnType<Metrics['histogram']>;

  constructor(log: Log, clock: Clock, metrics: Metrics) {
    this.#log = log;
    this.#clock = clock;
    this.#durations = metrics.histogram(
      'svc_http_request_duration_seconds',
      'From the head of a request to the end of its answer.',
      ['method', 'route', 'status'],
    );
  }

  write(exchange: Exchange): void {
    const { request, response, pattern, id, principal, sent } = exchange;
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
    };
    if (QUIET.has(pattern)) this.#log.debug(fields, 'request');
    else this.#log.info(fields, 'request');
  }
}
