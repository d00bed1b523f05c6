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

/** `svc_pat_` and the first characters of the token's own part. */
const PREFIX = 'svc_pat_'.length + 4;

/**
 * Request rates of this server: by token, by address, and for failed authentications by address and by prefix of the token. They are kept in
 * memory, so each server counts on its own. On a Unix socket there is no address; the file mode decides who may
 * connect.
 */
export class CallerRates {
  readonly #token: Meter | undefined;
  readonly #address: Meter | undefined;
  readonly #failed: Meter | undefined;
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
   * Failures count for their address, and for what all tokens that begin alike are guessed from many addresses. A token
   * that is found is never refused: many callers may share an address, and nobody's guesses may lock out another. Throws
   * `rate_limited` in place of `not_authenticated`, and what `look` throws.
   */
  async authenticate<P>(address: string, authorization: string | undefined, look: () => Promise<P>): Promise<P> {
    try {
      return await look();
    } catch (error) {
      const guessed = isServiceError(error) && error.status === 401 && authorization !== undefined;
      if (guessed && address !== '') this.#failure(networkOf(address), authorization);
      throw error;
    }
  }

  /** Throws `rate_limited`. */
  #failure(network: string, authorization: string): void {
    const failed = this.#failed;
    if (!failed) return;
    // A space cannot be in an address.
    const keys = [network, `token ${authorization.replace(/^bearer +/i, '').slice(0, PREFIX)}`];
    const wait_ms = Math.max(...keys.map((key) => failed.take(key)));
    if (wait_ms > 0) throw this.#refused('failed', 'too many failed authentications', wait_ms);
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
