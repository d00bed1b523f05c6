import { Errors, type HttpRequest } from '../../../../kernel/contracts/index.ts';
import { validateLine } from '../../../platform/schema/contract.ts';

const KEY_LENGTH = 255;

/** The header `Idempotency-Key`. Throws `invalid_request` for one that is no line of text. */
export function keyHeader({ headers }: HttpRequest): string | undefined {
  const key = headers['idempotency-key'];
  const fault = key === undefined ? undefined : validateLine(key, KEY_LENGTH);
  if (fault !== undefined) throw Errors.invalidRequest(`the Idempotency-Key header ${fault}`);
  return key;
}
