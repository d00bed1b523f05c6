import type { EnvelopeSource } from '../../runs/contract.ts';
import { envelopeOf, type EventBus } from '../contract.ts';
import { BusErrors } from '../errors.ts';

/** Envelopes of runs that events started: `bus:evt_…`. What an event carries is kept once, on the bus. */
export function envelopeSource(bus: Pick<EventBus, 'read'>): EnvelopeSource {
  return {
    scheme: 'bus',
    async read(scope, reference) {
      const event = await bus.read(scope, reference);
      if (!event) throw BusErrors.envelopeGone(`the event ${reference} is not on the bus any more`);
      return envelopeOf(event);
    },
  };
}
