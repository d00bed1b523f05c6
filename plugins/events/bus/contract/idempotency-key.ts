import { hash } from 'node:crypto';
import { Errors, type HttpRequest } from '../../../../kernel/contracts/index.ts';

const KEY_LENGTH = 255;

/** Describes the header for `Route.headers`. */
export const KEY_HEADER = { 'Idempotency-Key': 'A repeated request with the same key returns the first result.' };

/**
 * Returns the digest of the request's `Idempotency-Key`, to be used as a deduplication key. Throws `invalid_request`.
 */
export function keyDigest({ headers }: Pick<HttpRequest, 'headers'>): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (key === '' || key.length > KEY_LENGTH) {
    const message = `must have 1 to ${KEY_LENGTH} characters`;
    throw Errors.invalidRequest(`the Idempotency-Key header ${message}`, {
      errors: [{ pointer: '/headers/idempotency-key', message }],
    });
  }
  return hash('sha256', key, 'hex');
}
