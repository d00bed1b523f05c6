import type { Database, Ids, Sealer } from '../../../../kernel/contracts/index.ts';
import type { EventBus, NewEvent, StoredEvent } from '../../../events/bus/contract.ts';
import { type AuditedWrites, type NamedRequest, notFound } from '../../../platform/resources/contract.ts';
import type { DeliveryResource } from '../contract.ts';
import { toDeliveryId } from '../domain/delivery-id.ts';
import { DeliveryErrors } from '../errors.ts';
import type { Redelivered } from '../generated/redelivered.ts';
import { findDelivery } from '../store/deliveries.ts';

export interface RedeliveryDeps {
  database: Pick<Database, 'read'>;
  sealer: Pick<Sealer, 'prepare'>;
  ids: Ids;
  writes: Pick<AuditedWrites, 'write'>;
  /** Resolved late, because the bus depends on this plugin's reaction. */
  bus(): Pick<EventBus, 'read' | 'record'>;
}

/** Records what a delivery brought once more. */
export class Redelivery {
  readonly #deps: RedeliveryDeps;

  constructor(deps: RedeliveryDeps) {
    this.#deps = deps;
  }

  /**
   * Records a new event with the body, the type and the trust of the first one. `key` is the digest of an idempotency
   * key. Throws `not_found`, `delivery_gone`.
   */
  async redeliver(
    resource: DeliveryResource,
    call: NamedRequest,
    delivery_id: string,
    key: string | undefined,
  ): Promise<Redelivered> {
    const { database, sealer, ids, writes, bus } = this.#deps;
    await resource.find(call);
    const inlet = { ...call.scope, source: resource.source, name: call.name };
    const row = await findDelivery(database, inlet, delivery_id);
    if (!row) throw notFound({ noun: 'delivery' }, delivery_id);
    if (row.event_id === null)
      throw DeliveryErrors.deliveryGone(
        `the delivery ${delivery_id} was rejected (${row.code}), so its body was not stored`,
      );
    const first = await bus().read(call.scope, row.event_id);
    if (!first)
      throw DeliveryErrors.deliveryGone(`the event ${row.event_id} of the delivery ${delivery_id} is no longer stored`);
    await sealer.prepare(call.scope.org_id);
    const by = call.by.principal?.name ?? '';
    const event = toNewEvent(first, { delivery_id, by, event_id: ids.next('evt'), key });
    const recorded = await writes.write(
      call,
      `${resource.audited}.redeliver`,
      async (tx) => (await bus().record(tx, [event]))[0]!,
      ({ event_id }) => `${delivery_id} as ${event_id}`,
    );
    const repeated = recorded.event_id !== event.event_id;
    return {
      delivery: toDeliveryId(recorded.event_id),
      event: recorded.event_id,
      event_type: first.type,
      redelivery_of: delivery_id,
      duplicate: repeated || undefined,
    };
  }
}

/** The envelope names the first event. A redelivery is no more trusted than the first delivery. */
function toNewEvent(
  first: StoredEvent,
  { delivery_id, by, event_id, key }: { delivery_id: string; by: string; event_id: string; key: string | undefined },
): NewEvent {
  const { org_id, project_id, type, payload, fields, source, source_name, generation, trusted } = first;
  return {
    org_id,
    project_id,
    event_id,
    type,
    key: first.key,
    payload,
    source,
    source_name,
    generation,
    trusted,
    fields: { ...fields, redelivery_of: first.event_id },
    delivery: { redelivery_of: { of: delivery_id, by } },
    // Lets a transaction that is retried find its event.
    dedup: `redelivery:${delivery_id}:${key ?? event_id}`,
    refusable: false,
  };
}
