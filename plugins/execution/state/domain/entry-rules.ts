import { Errors } from '../../../../kernel/contracts/index.ts';
import { validateLine } from '../../../platform/schema/contract.ts';

/** Maximum bytes of a value in UTF-8. */
export const MAX_VALUE_BYTES = 256 * 1024;
const MAX_NAME_LENGTH = 255;

/** Returns the name of an entity or a key. Throws `invalid_request` with `pointer`. */
export function checkName(pointer: string, name: string): string {
  const message = validateLine(name, MAX_NAME_LENGTH);
  if (message === undefined) return name;
  throw Errors.invalidRequest(`${pointer.slice(pointer.lastIndexOf('/') + 1)} ${message}`, {
    errors: [{ pointer, message }],
  });
}

/** Throws `payload_too_large`. */
export function checkValue(value: string): string {
  const bytes = Buffer.byteLength(value);
  if (bytes <= MAX_VALUE_BYTES) return value;
  throw Errors.payloadTooLarge(
    `the value is ${bytes} bytes long, ${bytes - MAX_VALUE_BYTES} over the limit of ${MAX_VALUE_BYTES}`,
  );
}
