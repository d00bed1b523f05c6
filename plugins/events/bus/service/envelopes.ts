import type { EnvelopeSource } from '../../../engine/runs/contract.ts';
import { type EventBus, envelopeOf } from '../contract.ts';
import { BusErrors } from '../errors.ts';

type Content = ReturnType<typeof envelopeOf>;

/**
 * Resolves the envelopes of runs that events started, as `bus:evt_…`, or `bus:evt_…,evt_…` for a batch; a batch of one
 * event ends with a comma. An event's content is stored only once, on the bus.
 */
export function envelopeSource(bus: Pick<EventBus, 'read'>): EnvelopeSource {
  return {
    scheme: 'bus',
    async read(scope, reference, on) {
      const envelopes = [];
      for (const event_id of reference.split(',').filter((id) => id !== '')) {
        const event = await bus.read(scope, event_id, on);
        if (!event) throw BusErrors.envelopeGone(`the event ${event_id} is no longer stored`);
        envelopes.push(envelopeOf(event));
      }
      return reference.includes(',') ? batchEnvelopeOf(envelopes) : envelopes[0]!;
    },
  };
}

/** Returns the envelope of a batch: the type and the id of its first event, and all envelopes as its payload. */
function batchEnvelopeOf(envelopes: readonly Content[]): Content {
  const { type, event } = envelopes[0]!;
  const trusted = envelopes.every((envelope) => envelope.trusted === true);
  return { type, event: event!, batch: envelopes.length, trusted, payload: [...envelopes] };
}
