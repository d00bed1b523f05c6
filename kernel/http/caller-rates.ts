import { hash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { type Clock, Errors, isServiceError, type Metrics, type Rate, type RateLimits } from '../contracts/index.ts';
import { Meter } from './meter.ts';

/** Counts what any limit refused. */
export const RATE_REFUSALS = ['svc_http_rate_limited_total', 'Requests refused by a rate limit.', ['limit']] as const;

/** Tokens that are remembered to have been valid from an address. */
const PROVEN = 20_000;

/**
 * How often one may ask this server: by token, by address, and, for failed authentications, by address. In memory, so
 * each server of several counts for itself. Over a Unix socket there is no address, and the file's mode decides.
 */
export class CallerRates {
  readonly #token: Meter | undefined;
  readonly #address: Meter | undefined;
  readonly #failed: Meter | undefined;
  readonly #proven = new Map<string, true>();
  readonly #refusals: ReturnType<Metrics['counter']>;

  constructor(limits: RateLimits, clock: Clock, metrics: Metrics) {
    const meter = (rate: Rate | undefined) => rate && new Meter(rate, clock);
    this.#token = meter(limits.token);
    this.#address = meter(limits.address);
    this.#failed = meter(limits.failed);
    this.#refusals = metrics.counter(...RATE_REFUSALS);
  }

  /** Counts a request of an address. Throws `rate_limited`. */
  request(address: string): void {
    if (address === '') return;
    const wait_ms = this.#address?.take(networkOf(address)) ?? 0;
    if (wait_ms > 0) throw this.#refused('address', 'too many requests from this address', wait_ms);
  }

  /** Counts a request of a token. Throws `rate_limited`. */
  token(token_id: string): void {
    const wait_ms = this.#token?.take(token_id) ?? 0;
    if (wait_ms > 0) throw this.#refused('token', 'too many requests with this token', wait_ms);
  }

  /**
   * Lets an address that failed too often present nothing new: the answer is then the same for any token, so that
   * guessing tells nothing. A token that was valid from there before is still looked at, because many callers may
   * share an address. Throws `rate_limited`, and what `look` throws.
   */
  async authenticate<P>(address: string, authorization: string | undefined, look: () => Promise<P>): Promise<P> {
    const failed = this.#failed;
    if (!failed || address === '' || authorization === undefined) return look();
    const network = networkOf(address);
    const proof = `${network} ${hash('sha256', authorization, 'base64')}`;
    const wait_ms = this.#proven.has(proof) ? 0 : failed.wait(network);
    if (wait_ms > 0) throw this.#refused('failed', 'too many failed authentications from this address', wait_ms);
    try {
      const principal = await look();
      this.#prove(proof);
      return principal;
    } catch (error) {
      // Counted afterwards, and beyond the bound too: guesses made at once are waited for later.
      if (isServiceError(error) && error.status === 401) {
        this.#proven.delete(proof);
        failed.charge(network);
      }
      throw error;
    }
  }

  #prove(proof: string): void {
    this.#proven.delete(proof);
    this.#proven.set(proof, true);
    if (this.#proven.size > PROVEN) this.#proven.delete(this.#proven.keys().next().value!);
  }

  #refused(limit: string, detail: string, wait_ms: number) {
    this.#refusals.inc({ limit });
    return Errors.rateLimited(detail, { retryAfterMs: wait_ms });
  }
}

/** An IPv6 caller holds a /64 and could take another address of it for each request. */
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
