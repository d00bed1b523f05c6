import { type Clock, type EgressAnswer, isServiceError, type Metrics } from '../../../kernel/contracts/index.ts';

export interface RequestMeters {
  /** Counts the exchange by its outcome, and times it. */
  measure(exchange: () => Promise<EgressAnswer>): Promise<EgressAnswer>;
}

export function createMeters(metrics: Metrics, clock: Clock): RequestMeters {
  const sent = metrics.counter(
    'svc_requests_total',
    'Requests of nodes: answered (with any status), failed without an answer, or refused before they were sent.',
    ['outcome'],
  );
  const took = metrics.histogram('svc_request_seconds', 'Time from sending a request of a node to its whole answer.');
  return {
    async measure(exchange) {
      const began = clock.monotonic();
      try {
        const answer = await exchange();
        sent.inc({ outcome: 'answered' });
        took.observe({}, (clock.monotonic() - began) / 1000);
        return answer;
      } catch (error) {
        sent.inc({ outcome: isServiceError(error, 'egress_refused') ? 'refused' : 'failed' });
        throw error;
      }
    },
  };
}
