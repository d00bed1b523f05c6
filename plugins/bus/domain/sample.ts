import type { Json } from '../../runs/contract.ts';
import { isNumber } from '../../schema/contract.ts';

const MAX = { levels: 6, members: 32, items: 3, characters: 200 } as const;

/** The shape of a payload, small enough for a list: long texts, long arrays and deep parts are replaced by `…`. */
export function sampleOf(value: Json, levels: number = MAX.levels): Json {
  if (typeof value === 'string') return cut(value);
  if (typeof value !== 'object' || value === null || isNumber(value)) return value;
  if (levels === 0) return '…';
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX.items).map((item) => sampleOf(item, levels - 1));
    return value.length > MAX.items ? [...items, '…'] : items;
  }
  // There may be 100,000 members: only the shown ones are read.
  const names = Object.keys(value);
  const kept = names.slice(0, MAX.members).map((name) => [cut(name), sampleOf(value[name]!, levels - 1)] as const);
  return Object.fromEntries(names.length > MAX.members ? [...kept, ['…', '…']] : kept);
}

function cut(text: string): string {
  if (text.length <= MAX.characters) return text;
  const kept = text.slice(0, MAX.characters);
  return `${kept.isWellFormed() ? kept : kept.slice(0, -1)}…`;
}
