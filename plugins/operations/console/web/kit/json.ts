import { parseExact } from '../../../../platform/schema/contract/exact-json.ts';

/** What somebody typed; nothing is null. Throws an error in plain words. */
export function parseJson(text: string): unknown {
  try {
    return parseExact(text.trim() === '' ? 'null' : text);
  } catch (error) {
    throw new Error(`This is not JSON: ${(error as Error).message}. Text needs quotes.`);
  }
}

/** An object, `{}` when nothing was typed. Throws an error that says which field. */
export function parseObject(text: string, field: string): Record<string, unknown> {
  const value = parseJson(text) ?? {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Error(`${field} must be a JSON object: {"name": "value"}.`);
}
