import { hash } from 'node:crypto';
import { Errors, type HttpRequest } from '../../../kernel/contracts/index.ts';

const KEY_LENGTH = 255;

/** For `Route.headers`. */
export const KEY_HEADER = { 'Idempotency-Key': 'A repeated request with the same key is answered as the first one.' };

/** The digest of the request's `Idempotency-Key`, for texts against doubles. Throws `invalid_request`. */
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
