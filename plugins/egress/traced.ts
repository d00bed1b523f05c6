import {
  type Clock,
  type Egress,
  type EgressAnswer,
  type EgressRequest,
  isServiceError,
} from '../../kernel/contracts/index.ts';
import { clientSpan, type TraceContext, traceHeaders, type Tracer } from '../tracing/contract.ts';
import { shownUrl } from './request-rules.ts';

/** Sends a request as part of the trace in which its sender works, unless the request has a trace of its own. */
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
  const shown_url = request.shown_url ?? (URL.canParse(request.url) ? shownUrl(new URL(request.url)) : '');
  const sent = { context, parent: parent.span_id, method: request.method, shown_url, start };
  try {
    const answer = await egress.request({ ...request, headers });
    tracer.add(clientSpan({ ...sent, end: clock.now(), status: answer.status }));
    return answer;
  } catch (error) {
    tracer.add(clientSpan({ ...sent, end: clock.now(), error: isServiceError(error) ? error.code : 'failed' }));
    throw error;
  }
}
