import {
  type Clock,
  type EgressAnswer,
  type EgressRequest,
  isServiceError,
} from '../../../../kernel/contracts/index.ts';
import type { Assignment } from '../../../execution/agents/contract.ts';
import type { Masker } from '../../../security/masking/contract.ts';
import {
  clientSpan,
  readTrace,
  type ClientRequest,
  spanIdOf,
  traceHeaders,
  type Tracer,
} from '../../../platform/tracing/contract.ts';

interface TracedRequest {
  /** The request with the header of its span, unless the node sets that header itself. */
  request: EgressRequest;
  /** Exports the span of the exchange, where this process exports any. */
  measure(
    by: { tracer: Tracer | undefined; clock: Clock },
    masker: Masker,
    send: () => Promise<EgressAnswer>,
  ): Promise<EgressAnswer>;
}

const TRACE_HEADER = 'traceparent';

/** Makes the request of an activity part of its run's trace. Without tracing, the request stays unchanged. */
export function traceRequest(
  { trace, activity_id, epoch }: Pick<Assignment, 'trace' | 'activity_id' | 'epoch'>,
  request: EgressRequest,
  page = 1,
): TracedRequest {
  const parent = readTrace(trace?.traceparent, trace?.tracestate);
  if (!parent) return { request, measure: (_by, _masker, send) => send() };
  const context = {
    ...parent,
    span_id: spanIdOf('request', activity_id, String(epoch), ...(page > 1 ? [String(page)] : [])),
  };
  const has_trace = Object.keys(request.headers ?? {}).some((name) => name.toLowerCase() === TRACE_HEADER);
  const headers = { ...request.headers, ...(has_trace ? {} : traceHeaders(context)) } as Record<string, string>;
  return {
    request: { ...request, headers },
    async measure({ tracer, clock }, masker, send) {
      if (!tracer) return send();
      const shown_url = masker.text(request.redacted_url ?? '');
      const sent: Omit<ClientRequest, 'end'> = {
        context,
        parent: parent.span_id,
        method: request.method,
        redacted_url: shown_url,
        start: clock.now(),
      };
      try {
        const answer = await send();
        tracer.add(clientSpan({ ...sent, end: clock.now(), status: answer.status }));
        return answer;
      } catch (error) {
        tracer.add(clientSpan({ ...sent, end: clock.now(), error: isServiceError(error) ? error.code : 'failed' }));
        throw error;
      }
    },
  };
}
