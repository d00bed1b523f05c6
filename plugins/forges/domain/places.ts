import type { Json } from '../../runs/contract.ts';

export type JsonObject = { [member: string]: Json };

/** The value at a JSON pointer; undefined when there is none. Only own members count. */
export function valueAt(value: Json | undefined, pointer: string): Json | undefined {
  let found = value;
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as JsonObject)[name];
  }
  return found;
}

/** The first of these places that holds a non-empty text. */
export function textAt(value: Json, pointers: readonly string[]): string | undefined {
  for (const pointer of pointers) {
    const found = valueAt(value, pointer);
    if (typeof found === 'string' && found !== '') return found;
  }
  return undefined;
}
