import { type Clock, type DeliveryRates, Errors, type Metrics, type Rate } from '../contracts/index.ts';
import { Meter } from './meter.ts';
import { RATE_REFUSALS } from './caller-rates.ts';

/** In memory, as the limits of callers: each server of several counts for itself. Without a rate nothing is refused. */
export function createDeliveryRates(rate: Rate | undefined, clock: Clock, metrics: Metrics): DeliveryRates {
  const meter = rate && new Meter(rate, clock);
  const refusals = metrics.counter(...RATE_REFUSALS);
  return {
    take(address_id) {
      const wait_ms = meter?.take(address_id) ?? 0;
      if (wait_ms === 0) return;
      refusals.inc({ limit: 'delivery' });
      throw Errors.rateLimited('too many deliveries to this address', { retryAfterMs: wait_ms });
    },
  };
}
