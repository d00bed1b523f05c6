import { token } from './tokens.ts';

/** How often the outside may deliver to one address of this service: a hook, a webhook of a forge. */
export interface DeliveryRates {
  /**
   * Counts a delivery that proved to be genuine, so that forged ones cannot use up what belongs to the sender. Throws
   * `rate_limited`.
   */
  take(address_id: string): void;
}

export const DeliveryRates = token<DeliveryRates>('kernel.DeliveryRates');
