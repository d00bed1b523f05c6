import { hash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { BoundedMap, type Clock, Errors, isServiceError, type Metrics } from '../../kernel/contracts/index.ts';
import type { DeliveryRates } from './contract.ts';
import type { Rate, RateLimits } from './rate-limits.ts';

/** Callers remembered by one meter; beyond it the least active one is forgotten. */
const SIZE = 20_000;

/**
 * A token bucket for each key, stored as one number: the time at which the bucket is full again. It holds `count`
 * tokens and refills evenly over `per_ms`.
 */
export class Meter {
  readonly #full_at = new BoundedMap<string, number>(SIZE);
  readonly #per_ms: number;
  readonly #interval_ms: number;
  readonly #clock: Clock;

  constructor({ count, per_ms }: Rate, clock: Clock) {
    this.#per_ms = per_ms;
    this.#interval_ms = per_ms / count;
    this.#clock = clock;
  }

  get size(): number {
    return this.#full_at.size;
  }

  /** Takes one token; or takes none and answers the milliseconds until one is available. */
  take(key: string): number {
    const wait = this.wait(key);
    if (wait === 0) this.charge(key);
    return wait;
  }

  /** Milliseconds until a token is available; 0 when one is. */
  wait(key: string): number {
    const now = this.#clock.monotonic();
    const owed = (this.#full_at.get(key) ?? now) - now + this.#interval_ms - this.#per_ms;
    // Sums of fractions are slightly too large.
    return owed > 1e-6 ? owed : 0;
  }

  /** Takes one token in any case; a debt delays later calls. */
  charge(key: string): void {
    const now = this.#clock.monotonic();
    const full_at = Math.max(this.#full_at.get(key) ?? now, now) + this.#interval_ms;
    this.#full_at.set(key, full_at);
  }
}

/** Counts refusals by any limit. */
const RATE_REFUSALS = ['svc_http_rate_limited_total', 'Requests refused by a rate limit.', ['limit']] as const;

/** Tokens remembered as valid from an address. */
const PROVEN = 20_000;

/**
 * Request rates of this server: by token, by address, and by address for failed authentications. They are kept in
 * memory, so each server counts on its own. On a Unix socket there is no address; the file mode decides who may
 * connect.
 */
export class CallerRates {
  readonly #token: Meter | undefined;
  readonly #address: Meter | undefined;
  readonly #failed: Meter | undefined;
  readonly #proven = new BoundedMap<string, true>(PROVEN);
  readonly #refusals: ReturnType<Metrics['counter']>;

  constructor(limits: RateLimits, clock: Clock, metrics: Metrics) {
    const meter = (rate: Rate | undefined) => rate && new Meter(rate, clock);
    this.#token = meter(limits.token);
    this.#address = meter(limits.address);
    this.#failed = meter(limits.failed);
    this.#refusals = metrics.counter(...RATE_REFUSALS);
  }

  /** Counts a request by address. Throws `rate_limited`. */
  request(address: string): void {
    if (address === '') return;
    const wait_ms = this.#address?.take(networkOf(address)) ?? 0;
    if (wait_ms > 0) throw this.#refused('address', 'too many requests from this address', wait_ms);
  }

  /** Counts a request by token. Throws `rate_limited`. */
  token(token_id: string): void {
    const wait_ms = this.#token?.take(token_id) ?? 0;
    if (wait_ms > 0) throw this.#refused('token', 'too many requests with this token', wait_ms);
  }

  /**
   * After too many failures an address may not present new tokens: every new token gets the same answer, so that
   * guessing reveals nothing. A token that was valid from this address before is still checked, because many callers
   * may share an address. Throws `rate_limited`, and what `look` throws.
   */
  async authenticate<P>(address: string, authorization: string | undefined, look: () => Promise<P>): Promise<P> {
    const failed = this.#failed;
    if (!failed || address === '' || authorization === undefined) return look();
    const network = networkOf(address);
    const proof = `${network} ${hash('sha256', authorization, 'base64')}`;
    const wait_ms = this.#proven.get(proof) ? 0 : failed.wait(network);
    if (wait_ms > 0) throw this.#refused('failed', 'too many failed authentications from this address', wait_ms);
    try {
      const principal = await look();
      this.#proven.set(proof, true);
      return principal;
    } catch (error) {
      // Counted afterwards and beyond the limit too: parallel guesses delay later ones.
      if (isServiceError(error) && error.status === 401) {
        this.#proven.delete(proof);
        failed.charge(network);
      }
      throw error;
    }
  }

  #refused(limit: string, detail: string, wait_ms: number) {
    this.#refusals.inc({ limit });
    return Errors.rateLimited(detail, { retryAfterMs: wait_ms });
  }
}

/** An IPv6 caller owns a /64 and could use another address of it for each request. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [plain = ''] = address.split('%');
  const [head = '', tail] = plain.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const before = groups(head);
  const after = groups(tail ?? '');
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  const network = [...before, ...zeros, ...after].slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}

/** Kept in memory like the limits of callers: each server counts on its own. Without a rate nothing is refused. */
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
