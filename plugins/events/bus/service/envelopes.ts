import type { EnvelopeSource } from '../../../engine/runs/contract.ts';
import { envelopeOf, type EventBus } from '../contract.ts';
import { BusErrors } from '../errors.ts';

/**
 * Resolves the envelopes of runs that events started, as `bus:evt_…`. An event's content is stored only once, on the
 * bus.
 */
export function envelopeSource(bus: Pick<EventBus, 'read'>): EnvelopeSource {
  return {
    scheme: 'bus',
    async read(scope, reference, on) {
      const event = await bus.read(scope, reference, on);
      if (!event) throw BusErrors.envelopeGone(`the event ${reference} is no longer stored`);
      return envelopeOf(event);
    },
  };
}
