import type { Json } from '../../../engine/runs/contract.ts';

/** Numbers by their value, texts by their characters, as times in ISO 8601 are ordered. */
export function isGreater(one: Json, other: Json): boolean {
  if (typeof one === 'number' && typeof other === 'number') return one > other;
  return String(one) > String(other);
}
