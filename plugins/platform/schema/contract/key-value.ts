import { parseExact } from './exact-json.ts';

/** How a JSON text or the name of a file (`@file`) begins. */
const NO_KEY = /^\s*[{["@]/;

/** Tells whether a text is `k=v` or `k:=json`, which no JSON text looks like. */
export const isKeyValue = (text: string): boolean => text.indexOf('=') > 0 && !NO_KEY.test(text);

/** Parses `k=v` as a text and `k:=json` as any JSON. `invalid` says whether the key is missing or the JSON is invalid. */
export function readKeyValue(pair: string): { key: string; value?: unknown; invalid?: 'key' | 'json' } {
  const equals = pair.indexOf('=');
  const colon = equals > 0 && pair[equals - 1] === ':';
  const key = pair.slice(0, colon ? equals - 1 : Math.max(equals, 0));
  if (key === '') return { key, invalid: 'key' };
  const text = pair.slice(equals + 1);
  if (!colon) return { key, value: text };
  try {
    return { key, value: parseExact(text) };
  } catch {
    return { key, invalid: 'json' };
  }
}
