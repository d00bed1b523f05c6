import { EMIT_BYTES, keyFault, nestsTooDeep, typeFault } from '../../bus/contract.ts';
import { valueTooLarge, verbUsage } from '../errors.ts';

/** Throws `verb_usage` when the text is no type of an event. */
export function checkEventType(type: string): void {
  const fault = typeFault(type);
  if (fault !== undefined) throw verbUsage(`the type of an event ${fault}`);
}

/** Throws `verb_usage` when the text is no key of an event. */
export function checkEventKey(key: string): void {
  const fault = keyFault(key);
  if (fault !== undefined) throw verbUsage(`--key ${fault}`);
}

/** A payload from its JSON. Throws `verb_usage`. */
export function parsePayload(text: string): unknown {
  let payload: unknown;
  try {
    payload = JSON.parse(text);
  } catch (error) {
    throw verbUsage(`--payload is not JSON: ${(error as Error).message}`);
  }
  if (nestsTooDeep(payload)) throw verbUsage('--payload nests deeper than 100 levels');
  return payload;
}

/** Throws `value_too_large` beyond what an emit over HTTP takes. */
export function checkEventSize(event: { type: string; key?: string; payload?: unknown }): void {
  const over = Buffer.byteLength(JSON.stringify(event)) - EMIT_BYTES;
  const bytes = over === 1 ? '1 byte' : `${over} bytes`;
  if (over > 0)
    throw valueTooLarge(
      `the event is ${bytes} over the limit of 2 MiB (${EMIT_BYTES} bytes); put large data in an artifact and refer to it`,
    );
}
