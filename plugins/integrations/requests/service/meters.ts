import { type Clock, type EgressAnswer, isServiceError, type Metrics } from '../../../../kernel/contracts/index.ts';

export interface RequestMeters {
  /** Counts the exchange by its outcome, and times it. */
  measure(send: () => Promise<EgressAnswer>): Promise<EgressAnswer>;
}

export function createMeters(metrics: Metrics, clock: Clock): RequestMeters {
  const sent = metrics.counter(
    'svc_requests_total',
    'Requests of nodes: answered (with any status), failed without a response, or rejected before they were sent.',
    ['outcome'],
  );
  const duration = metrics.histogram(
    'svc_request_seconds',
    'Time from sending the request of a node to its complete response.',
  );
  return {
    async measure(send) {
      const began = clock.monotonic();
      try {
        const answer = await send();
        sent.inc({ outcome: 'answered' });
        duration.observe({}, (clock.monotonic() - began) / 1000);
        return answer;
      } catch (error) {
        sent.inc({ outcome: isServiceError(error, 'egress_refused') ? 'refused' : 'failed' });
        throw error;
      }
    },
  };
}
