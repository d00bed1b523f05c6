import type { EventReaction, StoredEvent } from '../../../events/bus/contract.ts';
import type { Inlet } from '../contract.ts';
import { toDeliveryId } from '../domain/delivery-id.ts';
import { type DeliveryRow, insertDeliveries } from '../store/deliveries.ts';

/**
 * Lists a delivery in the transaction that records its event, so that neither exists without the other and no extra
 * commit is needed.
 */
export const deliveryReaction: EventReaction<true> = {
  name: 'deliveries',
  precedence: 300,
  decide: async (_tx, _scope, events) =>
    events.map(({ delivery }) => ({ plan: delivery === undefined ? undefined : true })),
  async apply(tx, _scope, planned) {
    await insertDeliveries(
      tx,
      planned.map(({ event }) => toRow(event)),
    );
    return [];
  },
};

function toRow({
  org_id,
  project_id,
  source,
  source_name,
  event_id,
  type,
  recorded_at,
  delivery,
}: StoredEvent): DeliveryRow {
  const { sent_id = null, old_secret = false, redelivery_of: redelivery } = delivery ?? {};
  return {
    org_id,
    project_id,
    source: source as Inlet['source'],
    name: source_name,
    delivery_id: toDeliveryId(event_id),
    outcome: 'recorded',
    at: recorded_at,
    event_id,
    event_type: type,
    sent_id,
    code: null,
    reason: null,
    old_secret: old_secret ? 1 : 0,
    redelivery_of: redelivery?.of ?? null,
    redelivered_by: redelivery?.by ?? null,
  };
}
