import type { IncomingMessage } from 'node:http';
import { readTrace, type TraceContext, type Tracer } from '../tracing/contract.ts';

/** Only API requests are traced: health checks, metrics and files of pages would drown what people look for. */
const TRACED = '/api/';
const SERVER_ERROR = 500;

/** The span of a request that is being served. */
export interface RequestTrace {
  context: TraceContext;
  /** The id of the caller's span. */
  parent: string | undefined;
}

/** Begins the span of a request, as a child of the caller's span if the request names one. */
export function beginTrace(tracer: Tracer, { headers }: Pick<IncomingMessage, 'headers'>): RequestTrace {
  const { traceparent, tracestate } = headers;
  const header = typeof traceparent === 'string' ? traceparent : undefined;
  const caller = readTrace(header, [tracestate].flat().join(',') || undefined);
  return { context: tracer.begin(caller), parent: caller?.span_id };
}

export interface AnsweredRequest {
  request_id: string;
  method: string;
  /** The pattern of the route, never the path. */
  route: string;
  status: number;
  duration_ms: number;
  /** Epoch ms. */
  ended_at: number;
  /** The caller did not get the whole answer. */
  truncated: boolean;
}

export function endTrace(tracer: Tracer, { context, parent }: RequestTrace, answered: AnsweredRequest): void {
  const { request_id, method, route, status, duration_ms, ended_at, truncated } = answered;
  if (!route.startsWith(TRACED)) return;
  tracer.add({
    context,
    parent,
    remote: parent !== undefined,
    name: `${method} ${route}`,
    kind: 'server',
    start: ended_at - duration_ms,
    end: ended_at,
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
      'svc.request_id': request_id,
      'svc.cut': truncated ? true : undefined,
      'error.type': status >= SERVER_ERROR ? String(status) : undefined,
    },
    error: status >= SERVER_ERROR ? String(status) : undefined,
  });
}
