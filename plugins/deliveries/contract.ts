import { type Route, token } from '../../kernel/contracts/index.ts';
import type { NamedCall, Noun, ProjectScope } from '../resources/contract.ts';

export { oldSecretHeader, overlapUntil, USE_NOTED_MS } from './contract/overlap.ts';

/** Where deliveries come in: a hook or a webhook, by its name. Their events have it as source and source name. */
export interface Inlet extends ProjectScope {
  source: 'hook' | 'forge';
  name: string;
}

/** A delivery to an address that exists, which became no event. Nothing of its body is kept. */
export interface RefusedDelivery extends Inlet {
  /** The sender's own id, if it was proved. */
  sent_id?: string | undefined;
  code: string;
  /** What the sender was told. */
  reason: string;
}

/** The resource whose deliveries are listed. */
export interface DeliveryResource extends Noun {
  source: Inlet['source'];
  /** The noun in the audit: `hook` gives `hook.redeliver`. */
  audited: string;
  /** Throws `not_found`. */
  find(call: Pick<NamedCall, 'scope' | 'name'>): Promise<unknown>;
}

/**
 * What came in from outside. Deliveries that became events are listed by the `delivery` of their events, in the transactions
 * that record these.
 */
export interface DeliveryLog {
  /** Neither waits nor fails, so that strangers learn nothing by the time that an answer takes. Of a flood, some are kept. */
  refused(delivery: RefusedDelivery): void;
  /** `GET …/deliveries` and `POST …/deliveries/{delivery}/redeliver` of a resource. */
  routes(resource: DeliveryResource): Route[];
}

export const DeliveryLog = token<DeliveryLog>('deliveries.DeliveryLog');
