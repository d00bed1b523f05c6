import { SecretStoreErrors } from '../errors.ts';

/** Shorter values cannot be masked, because they also occur in ordinary text. */
const MIN_CHARACTERS = 4;
const MAX_BYTES = 48 * 1024;

/** What a store has at a path: a text, which may be JSON, or the members of an object. */
export type Found = string | Readonly<Record<string, unknown>>;

/** Takes the value of a reference from what is at its path. Throws `secret_store_no_value`; no message contains a part of it. */
export function extractValue(found: Found, location: string, field: string | undefined): string {
  const value = field === undefined ? found : memberOf(found, field);
  const reject = (what: string) => SecretStoreErrors.noValue(`${location} ${what}`);
  if (value === undefined || value === null) throw reject('does not have this field');
  if (typeof value === 'object') throw reject('is an object; select one of its fields with #');
  const text = String(value);
  if (Buffer.byteLength(text) > MAX_BYTES) throw reject(`has more than ${MAX_BYTES} bytes`);
  if ([...text].length < MIN_CHARACTERS) throw reject(`has fewer than ${MIN_CHARACTERS} characters`);
  if (text.includes('\0') || !text.isWellFormed()) throw reject('must be text without NUL');
  return text;
}

function memberOf(found: Found, field: string): unknown {
  const members = typeof found === 'string' ? parse(found) : found;
  if (typeof members !== 'object' || members === null || !Object.hasOwn(members, field)) return undefined;
  return (members as Record<string, unknown>)[field];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
