import type { FlowNode } from '../contract.ts';
import { NODE_ITEM } from './decide.ts';

/** Longer labels are cut: values of a matrix may be anything. */
const MAX_LABEL = 120;

/** Returns the label of an item, such as `build (node=20, os=linux)`; undefined when it is known by its number. */
export function itemLabel({ id, fan_out }: Pick<FlowNode, 'id' | 'fan_out'>, item: number): string | undefined {
  if (item === NODE_ITEM || fan_out?.named !== true || typeof fan_out.items === 'string') return undefined;
  const values = fan_out.items[item];
  if (values === null || typeof values !== 'object' || Array.isArray(values)) return undefined;
  const words = Object.entries(values).map(([name, value]) => `${name}=${toText(value)}`);
  if (words.length === 0) return undefined;
  const label = `${id} (${words.join(', ')})`;
  const characters = [...label];
  return characters.length > MAX_LABEL ? `${characters.slice(0, MAX_LABEL - 2).join('')}…)` : label;
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
