import { parseExact } from './exact-json.ts';

/** What begins a JSON text, or names a file. */
const NO_KEY = /^\s*[{["@]/;

/** `k=v` or `k:=json`. No JSON text looks like one. */
export const isKeyValue = (text: string): boolean => text.indexOf('=') > 0 && !NO_KEY.test(text);

/** `k=v` is a text and `k:=json` any JSON. Without a value when there is no key, or no JSON: `fault` says which. */
export function readKeyValue(pair: string): { key: string; value?: unknown; fault?: 'key' | 'json' } {
  const equals = pair.indexOf('=');
  const colon = equals > 0 && pair[equals - 1] === ':';
  const key = pair.slice(0, colon ? equals - 1 : Math.max(equals, 0));
  if (key === '') return { key, fault: 'key' };
  const text = pair.slice(equals + 1);
  if (!colon) return { key, value: text };
  try {
    return { key, value: parseExact(text) };
  } catch {
    return { key, fault: 'json' };
  }
}
