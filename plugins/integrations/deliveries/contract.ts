import { type Route, token } from '../../../kernel/contracts/index.ts';
import type { NamedRequest, ResourceType, ProjectScope } from '../../platform/resources/contract.ts';

export { oldSecretHeader, overlapUntil, USE_RECORD_INTERVAL_MS } from './contract/overlap.ts';

/**
 * An address that accepts deliveries: a hook or a webhook, by its name. Its events carry it as source and source name.
 */
export interface Inlet extends ProjectScope {
  source: 'hook' | 'forge';
  name: string;
}

/** A delivery to an existing address that did not become an event. Nothing of its body is stored. */
export interface RejectedDelivery extends Inlet {
  /** The sender's own id, if it was proved. */
  sent_id?: string | undefined;
  code: string;
  /** The reason that the sender received. */
  reason: string;
}

/** A resource whose deliveries are listed. */
export interface DeliveryResource extends ResourceType {
  source: Inlet['source'];
  /** The resource in audit actions: `hook` gives `hook.redeliver`. */
  audited: string;
  /** Throws `not_found`. */
  find(call: Pick<NamedRequest, 'scope' | 'name'>): Promise<unknown>;
}

/** The log of deliveries. A delivery that becomes an event is listed in the transaction that records the event. */
export interface DeliveryLog {
  /**
   * Lists a rejected delivery. It neither waits nor fails, so that response times reveal nothing to strangers. Only a
   * part of a flood is listed.
   */
  recordRejection(delivery: RejectedDelivery): void;
  /** `GET …/deliveries` and `POST …/deliveries/{delivery}/redeliver` of a resource. */
  routes(resource: DeliveryResource): Route[];
}

export const DeliveryLog = token<DeliveryLog>('deliveries.DeliveryLog');
