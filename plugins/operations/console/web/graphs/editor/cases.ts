import type { GraphNode } from '../document.ts';

/** The cases that edges of a node may name; empty: none. */
export function casesOf({ type, config }: Pick<GraphNode, 'type' | 'config'>): readonly (boolean | string)[] {
  if (type === 'condition') return [true, false];
  if (type !== 'switch') return [];
  const cases = Array.isArray(config?.cases) ? config.cases.filter((one) => typeof one === 'string') : [];
  return [...new Set(cases), 'default'];
}
