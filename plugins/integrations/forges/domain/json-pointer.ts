import type { Json } from '../../../engine/runs/contract.ts';

export type JsonObject = { [member: string]: Json };

/** Returns the value at a JSON pointer; undefined when there is none. Only own members count. */
export function valueAt(value: Json | undefined, pointer: string): Json | undefined {
  let value_found = value;
  for (const token of pointer.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value_found !== 'object' || value_found === null || !Object.hasOwn(value_found, name)) return undefined;
    value_found = (value_found as JsonObject)[name];
  }
  return value_found;
}

/** Returns the first non-empty text at these pointers. */
export function textAt(value: Json, pointers: readonly string[]): string | undefined {
  for (const pointer of pointers) {
    const text = valueAt(value, pointer);
    if (typeof text === 'string' && text !== '') return text;
  }
  return undefined;
}
