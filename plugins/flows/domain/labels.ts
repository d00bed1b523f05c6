import type { FlowNode } from '../contract.ts';
import { WHOLE } from './decide.ts';

/** Longer labels are cut: values of a matrix may be anything. */
const MAX_LABEL = 120;

/** How people know an item: `build (node=20, os=linux)`. Undefined: by its number. */
export function labelOf({ id, fan_out }: Pick<FlowNode, 'id' | 'fan_out'>, item: number): string | undefined {
  if (item === WHOLE || fan_out?.named !== true || typeof fan_out.items === 'string') return undefined;
  const values = fan_out.items[item];
  if (values === null || typeof values !== 'object' || Array.isArray(values)) return undefined;
  const words = Object.entries(values).map(([name, value]) => `${name}=${textOf(value)}`);
  if (words.length === 0) return undefined;
  const label = `${id} (${words.join(', ')})`;
  const shown = [...label];
  return shown.length > MAX_LABEL ? `${shown.slice(0, MAX_LABEL - 2).join('')}…)` : label;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
