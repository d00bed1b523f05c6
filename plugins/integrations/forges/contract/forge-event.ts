import { token } from '../../../../kernel/contracts/index.ts';
import type { Json } from '../../../engine/runs/contract.ts';

/** What a forge sends, without its signature. */
export interface ForgeDelivery {
  /** The connector, such as `forge_a`. */
  forge: string;
  /** The forge's own name for what happened: `push`, `pull_request`. */
  event: string;
  body: { [name: string]: Json };
  /** The repository. By default the one that the body names. */
  repo?: string;
}

/** The event of a delivery, as a webhook records it. */
export interface ForgeEvent {
  type: string;
  /** The repository as the webhook spells it: the subject of all its events. */
  key: string;
  payload: Json;
  fields: { [name: string]: Json };
  trusted: boolean;
}

/** Converts deliveries to events. It verifies nothing: the caller must know where a delivery comes from. */
export interface ForgeEvents {
  /**
   * `removed_ref` is true for a push that removed its ref, which runs nothing. Throws `invalid_request`,
   * `delivery_foreign`, `payload_too_large`.
   */
  createEvent(delivery: ForgeDelivery): Promise<ForgeEvent & { removed_ref: boolean }>;
}

export const ForgeEvents = token<ForgeEvents>('forges.ForgeEvents');
