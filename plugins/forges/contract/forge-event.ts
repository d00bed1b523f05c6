import { token } from '../../../kernel/contracts/index.ts';
import type { Json } from '../../runs/contract.ts';

/** What a forge sends, without its signature. */
export interface ForgeDelivery {
  /** The connector: `forge_a`. */
  forge: string;
  /** The forge's own name for what happened: `push`, `pull_request`. */
  event: string;
  body: { [name: string]: Json };
  /** Absent: the repository that the body names. */
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

/** Makes the events of deliveries. It verifies nothing: whoever asks must know where a delivery comes from. */
export interface ForgeEvents {
  /**
   * `removed_ref`: a push after which the ref is gone, so that nothing runs. Throws `invalid_request`,
   * `delivery_foreign`, `payload_too_large`.
   */
  of(delivery: ForgeDelivery): ForgeEvent & { removed_ref: boolean };
}

export const ForgeEvents = token<ForgeEvents>('forges.ForgeEvents');
