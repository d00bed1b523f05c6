import { isIPv6 } from 'node:net';
import { BoundedMap, type Clock, Errors, isServiceError, type Metrics } from '../../../kernel/contracts/index.ts';
import type { DeliveryRates } from './contract.ts';
import type { Rate, RateLimits } from './rate-limits.ts';

/** The number of callers that one meter remembers. Beyond it, the least recently active one is dropped. */
const MAX_CALLERS = 20_000;

/**
 * A token bucket for each key, stored as one number: the time at which the bucket is full again. It holds `count`
 * tokens and refills evenly over `per_ms`.
 */
export class Meter {
  readonly #full_at = new BoundedMap<string, number>(MAX_CALLERS);
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

  /** Takes one token and returns 0, or takes none and returns the milliseconds until one is available. */
  tryAcquire(key: string): number {
    const wait = this.wait(key);
    if (wait === 0) this.charge(key);
    return wait;
  }

  /** Returns the milliseconds until a token is available; 0 when one is. */
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

/** The metric that counts rejections by any limit. */
const REJECTION_METRIC = ['svc_http_rate_limited_total', 'Requests rejected by a rate limit.', ['limit']] as const;

/** The length of `svc_pat_` and the first characters of the token after it. */
const PREFIX = 'svc_pat_'.length + 4;

/** Counts failed authentications on this server, by network and by the beginning of what was guessed. */
export class FailedAttempts {
  readonly #meter: Meter | undefined;
  readonly #rejections: ReturnType<Metrics['counter']>;

  /** Without a rate, nothing is rejected. */
  constructor(rate: Rate | undefined, clock: Clock, metrics: Metrics) {
    this.#meter = rate && new Meter(rate, clock);
    this.#rejections = metrics.counter(...REJECTION_METRIC);
  }

  /** Throws `rate_limited`. A caller on a Unix socket has no address, and is not counted. */
  count(address: string, guess: string): void {
    const meter = this.#meter;
    if (!meter || address === '') return;
    // An address cannot contain a space, so the keys cannot collide.
    const wait_ms = Math.max(...[networkOf(address), guess].map((key) => meter.tryAcquire(key)));
    if (wait_ms <= 0) return;
    this.#rejections.inc({ limit: 'failed' });
    throw Errors.rateLimited('too many failed authentications', { retryAfterMs: wait_ms });
  }

  /** True when the next failure from this address would be rejected by the limit. */
  isExhausted(address: string): boolean {
    return address !== '' && (this.#meter?.wait(networkOf(address)) ?? 0) > 0;
  }
}

/**
 * Limits the request rates of this server by token, by address, and, for failed authentications, by address and by prefix of
 * the token. The rates are in memory, so each server counts for itself. On a Unix socket there is no address: the file mode
 * decides who may connect.
 */
export class CallerRates {
  readonly #token: Meter | undefined;
  readonly #address: Meter | undefined;
  readonly #failed: FailedAttempts;
  readonly #rejections: ReturnType<Metrics['counter']>;

  constructor(
    limits: RateLimits,
    clock: Clock,
    metrics: Metrics,
    failed = new FailedAttempts(limits.failed, clock, metrics),
  ) {
    const meter = (rate: Rate | undefined) => rate && new Meter(rate, clock);
    this.#token = meter(limits.token);
    this.#address = meter(limits.address);
    this.#failed = failed;
    this.#rejections = metrics.counter(...REJECTION_METRIC);
  }

  /** Counts a request by address. Throws `rate_limited`. */
  request(address: string): void {
    if (address === '') return;
    const wait_ms = this.#address?.tryAcquire(networkOf(address)) ?? 0;
    if (wait_ms > 0) throw this.#rateLimited('address', 'too many requests from this address', wait_ms);
  }

  /** Counts a request by token. Throws `rate_limited`. */
  token(token_id: string): void {
    const wait_ms = this.#token?.tryAcquire(token_id) ?? 0;
    if (wait_ms > 0) throw this.#rateLimited('token', 'too many requests with this token', wait_ms);
  }

  /**
   * Counts failed authentications by address and by prefix of the token, because one token may be guessed from many addresses. A
   * valid token always passes: many callers may share an address, and nobody's guesses may lock out another. Throws
   * `rate_limited` in place of `not_authenticated`, and whatever `look` throws.
   */
  async authenticate<P>(address: string, authorization: string | undefined, findCaller: () => Promise<P>): Promise<P> {
    try {
      return await findCaller();
    } catch (error) {
      const is_guess = isServiceError(error) && error.status === 401 && authorization !== undefined;
      if (is_guess) this.#failed.count(address, `token ${authorization.replace(/^bearer +/i, '').slice(0, PREFIX)}`);
      throw error;
    }
  }

  #rateLimited(limit: string, detail: string, wait_ms: number) {
    this.#rejections.inc({ limit });
    return Errors.rateLimited(detail, { retryAfterMs: wait_ms });
  }
}

/** Returns the /64 of an IPv6 address, because a caller owns all of it and could use another address for each request. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [address_only = ''] = address.split('%');
  const [head = '', tail] = address_only.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const before = groups(head);
  const after = groups(tail ?? '');
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  const network = [...before, ...zeros, ...after].slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}

/** Limits deliveries in memory, so that each server counts for itself. Without a rate, nothing is rejected. */
export function createDeliveryRates(
  rate: Rate | undefined,
  clock: Clock,
  metrics: Metrics,
  failed: FailedAttempts,
): DeliveryRates {
  const meter = rate && new Meter(rate, clock);
  const rejections = metrics.counter(...REJECTION_METRIC);
  return {
    count(address_id) {
      const wait_ms = meter?.tryAcquire(address_id) ?? 0;
      if (wait_ms === 0) return;
      rejections.inc({ limit: 'delivery' });
      throw Errors.rateLimited('too many deliveries to this address', { retryAfterMs: wait_ms });
    },
    countFailure: (ip, address_id) => failed.count(ip, `delivery ${address_id}`),
    hasManyFailures: (ip) => failed.isExhausted(ip),
  };
}
