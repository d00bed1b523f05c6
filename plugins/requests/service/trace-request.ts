import { type Clock, type EgressAnswer, type EgressRequest, isServiceError } from '../../../kernel/contracts/index.ts';
import type { Assignment } from '../../agents/contract.ts';
import type { Masker } from '../../masking/contract.ts';
import { clientSpan, readTrace, spanIdOf, traceHeaders, type Tracer } from '../../tracing/contract.ts';

interface TracedRequest {
  /** It carries its span, unless the node has said otherwise. */
  request: EgressRequest;
  /** Exports the span of the exchange, where this process exports any. */
  measure(
    by: { tracer: Tracer | undefined; clock: Clock },
    masker: Masker,
    send: () => Promise<EgressAnswer>,
  ): Promise<EgressAnswer>;
}

const OWN_HEADER = 'traceparent';

/** The request of an activity as a part of its run's trace. Without tracing it is left as it is. */
export function traceRequest(
  { trace, activity_id, epoch }: Pick<Assignment, 'trace' | 'activity_id' | 'epoch'>,
  request: EgressRequest,
): TracedRequest {
  const pass = readTrace(trace?.traceparent, trace?.tracestate);
  if (!pass) return { request, measure: (_by, _masker, send) => send() };
  const context = { ...pass, span_id: spanIdOf('request', activity_id, String(epoch)) };
  const own = Object.keys(request.headers ?? {}).some((name) => name.toLowerCase() === OWN_HEADER);
  const headers = { ...request.headers, ...(own ? {} : traceHeaders(context)) } as Record<string, string>;
  return {
    request: { ...request, headers },
    async measure({ tracer, clock }, masker, send) {
      if (!tracer) return send();
      const shown_url = masker.text(request.shown_url ?? '');
      const sent = { context, parent: pass.span_id, method: request.method, shown_url, start: clock.now() };
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
