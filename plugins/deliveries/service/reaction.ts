import type { EventReaction, StoredEvent } from '../../bus/contract.ts';
import type { Inlet } from '../contract.ts';
import { deliveryOf } from '../domain/delivery-id.ts';
import { type DeliveryRow, insertDeliveries } from '../store/deliveries.ts';

/** Lists a delivery in the transaction that records its event: there is no event without, and no further commit. */
export const deliveryReaction: EventReaction<true> = {
  name: 'deliveries',
  precedence: 300,
  decide: async (_tx, _scope, events) =>
    events.map(({ delivery }) => ({ plan: delivery === undefined ? undefined : true })),
  async apply(tx, _scope, planned) {
    await insertDeliveries(
      tx,
      planned.map(({ event }) => rowOf(event)),
    );
    return [];
  },
};

function rowOf({
  org_id,
  project_id,
  source,
  source_name,
  event_id,
  type,
  recorded_at,
  delivery,
}: StoredEvent): DeliveryRow {
  const { sent_id = null, old_secret = false, again } = delivery ?? {};
  return {
    ...{ org_id, project_id, source: source as Inlet['source'], name: source_name },
    delivery_id: deliveryOf(event_id),
    outcome: 'recorded',
    at: recorded_at,
    ...{ event_id, event_type: type, sent_id, code: null, reason: null },
    old_secret: old_secret ? 1 : 0,
    redelivery_of: again?.of ?? null,
    redelivered_by: again?.by ?? null,
  };
}
