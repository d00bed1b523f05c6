import {
  type Clock,
  type Egress,
  type EgressAnswer,
  type EgressRequest,
  isServiceError,
} from '../../../kernel/contracts/index.ts';
import { clientSpan, type ClientRequest, type TraceContext, traceHeaders, type Tracer } from '../tracing/contract.ts';
import { redactUrl } from './request-rules.ts';

/** Sends a request as part of the current trace, unless the request carries its own `traceparent`. */
export async function sendTraced(
  egress: Egress,
  request: EgressRequest,
  { tracer, clock, parent }: { tracer: Tracer; clock: Clock; parent: TraceContext },
): Promise<EgressAnswer> {
  if (Object.keys(request.headers ?? {}).some((name) => name.toLowerCase() === 'traceparent'))
    return egress.request(request);
  const context = tracer.begin(parent);
  const headers = { ...request.headers, ...traceHeaders(context) } as Record<string, string>;
  const start = clock.now();
  const redacted_url = request.redacted_url ?? (URL.canParse(request.url) ? redactUrl(new URL(request.url)) : '');
  const span: Omit<ClientRequest, 'end'> = {
    context,
    parent: parent.span_id,
    method: request.method,
    redacted_url,
    start,
  };
  try {
    const answer = await egress.request({ ...request, headers });
    tracer.add(clientSpan({ ...span, end: clock.now(), status: answer.status }));
    return answer;
  } catch (error) {
    tracer.add(clientSpan({ ...span, end: clock.now(), error: isServiceError(error) ? error.code : 'failed' }));
    throw error;
  }
}
