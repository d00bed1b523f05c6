import { Errors } from '../../../kernel/contracts/index.ts';
import { lineFault } from './line.ts';

/** Maximum bytes of a value in UTF-8. */
export const CELL_BYTES = 256 * 1024;
const NAME_LENGTH = 255;

/** Returns the name of an entity or a key. Throws `invalid_request` naming `pointer`. */
export function checkCellName(pointer: string, name: string): string {
  const message = lineFault(name, NAME_LENGTH);
  if (message === undefined) return name;
  throw Errors.invalidRequest(`${pointer.slice(pointer.lastIndexOf('/') + 1)} ${message}`, {
    errors: [{ pointer, message }],
  });
}

/** Throws `payload_too_large`. */
export function checkCellValue(value: string): string {
  const bytes = Buffer.byteLength(value);
  if (bytes <= CELL_BYTES) return value;
  throw Errors.payloadTooLarge(`the value has ${bytes} bytes, ${bytes - CELL_BYTES} over the limit of ${CELL_BYTES}`);
}
