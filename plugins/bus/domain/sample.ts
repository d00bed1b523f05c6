import type { Json } from '../../runs/contract.ts';

const MOST = { levels: 6, members: 32, items: 3, characters: 200 } as const;

/** The shape of a payload, small enough for a list: long texts, long arrays and deep parts are cut, with a `…`. */
export function sampleOf(value: Json, levels: number = MOST.levels): Json {
  if (typeof value === 'string') return cut(value);
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return '…';
  if (Array.isArray(value)) {
    const items = value.slice(0, MOST.items).map((item) => sampleOf(item, levels - 1));
    return value.length > MOST.items ? [...items, '…'] : items;
  }
  // There may be 100,000: only those that are shown are looked at.
  const names = Object.keys(value);
  const kept = names.slice(0, MOST.members).map((name) => [cut(name), sampleOf(value[name]!, levels - 1)] as const);
  return Object.fromEntries(names.length > MOST.members ? [...kept, ['…', '…']] : kept);
}

function cut(text: string): string {
  if (text.length <= MOST.characters) return text;
  const kept = text.slice(0, MOST.characters);
  return `${kept.isWellFormed() ? kept : kept.slice(0, -1)}…`;
}
