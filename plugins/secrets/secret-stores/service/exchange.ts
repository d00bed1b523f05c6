import { type Clock, type Egress, isServiceError, type ServiceError } from '../../../../kernel/contracts/index.ts';
import { SecretStoreErrors } from '../errors.ts';

const TIMEOUT_MS = 10_000;
/** A secret has at most 64 KiB at AWS and Google, and 1 MiB at a Vault. */
const MAX_BYTES = 1024 * 1024;

export interface StoreRequest {
  method: 'GET' | 'POST';
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
}

export interface StoreAnswer {
  status: number;
  json: Readonly<Record<string, unknown>>;
}

export interface Exchange {
  clock: Clock;
  /**
   * Sends one request. Returns answers of success and rejections, whose body is an empty object if it is no JSON object. Throws
   * `secret_store_unavailable` or `secret_store_refused`.
   */
  send(store: string, request: StoreRequest): Promise<StoreAnswer>;
}

/** Stores may echo what they were sent, so no error contains a part of an answer. */
export const createExchange = (egress: Egress, clock: Clock): Exchange => ({
  clock,
  async send(store, { body, ...request }) {
    const answer = await egress
      .request({
        ...request,
        ...(body !== undefined && { body: Buffer.from(body) }),
        timeout_ms: TIMEOUT_MS,
        max_bytes: MAX_BYTES,
      })
      .catch((error: unknown) => {
        throw toStoreError(store, error);
      });
    const { status } = answer;
    if (status === 429 || status >= 500) throw SecretStoreErrors.unavailable(`${store} answered ${status}`);
    if (status >= 300 && status < 400) throw rejection(store, `answered ${status}, and svc does not follow redirects`);
    const json = toObject(answer.body);
    if (json === undefined && status < 300) throw rejection(store, 'did not answer with a JSON object');
    return { status, json: json ?? {} };
  },
});

/** Without a usable answer, the same request may succeed later. An address that svc must not reach stays forbidden. */
function toStoreError(store: string, error: unknown): unknown {
  if (!isServiceError(error)) return error;
  const { code, message } = error;
  if (code === 'egress_failed') return SecretStoreErrors.unavailable(`${store}: ${message}`);
  return SecretStoreErrors.rejected(`${store}: ${message}`);
}

export const rejection = (store: string, what: string): ServiceError => SecretStoreErrors.rejected(`${store} ${what}`);

function toObject(body: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const json = JSON.parse(body.toString()) as unknown;
    return typeof json === 'object' && json !== null && !Array.isArray(json)
      ? (json as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Returns an object of an answer; an empty one for anything else. */
export const membersOf = (json: unknown): Readonly<Record<string, unknown>> =>
  typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Record<string, unknown>) : {};
