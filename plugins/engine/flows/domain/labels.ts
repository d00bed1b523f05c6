import type { Json } from '../../runs/contract.ts';
import type { FlowNode } from '../contract.ts';
import { NODE_ITEM } from './decide.ts';

/** Longer labels are cut: values of a matrix may be anything. */
const MAX_LABEL = 120;

/** True when the items have labels that the plan does not contain, because they are computed when the node begins. */
export const hasComputedLabels = ({ fan_out }: Pick<FlowNode, 'fan_out'>): boolean =>
  fan_out?.named === true && !Array.isArray(fan_out.items);

/**
 * Returns the label of an item, such as `build (node=20, os=linux)`; undefined when it is known by its number. `computed` has
 * the values of an item that the plan does not contain.
 */
export function itemLabel(
  { id, fan_out }: Pick<FlowNode, 'id' | 'fan_out'>,
  item: number,
  computed?: Json,
): string | undefined {
  if (item === NODE_ITEM || fan_out?.named !== true) return undefined;
  const values: Json | undefined = Array.isArray(fan_out.items) ? (fan_out.items[item] as Json | undefined) : computed;
  if (values === undefined) return undefined;
  if (values === null || typeof values !== 'object' || Array.isArray(values)) return undefined;
  const words = Object.entries(values).map(([name, value]) => `${name}=${toText(value)}`);
  if (words.length === 0) return undefined;
  const label = `${id} (${words.join(', ')})`;
  const characters = [...label];
  return characters.length > MAX_LABEL ? `${characters.slice(0, MAX_LABEL - 2).join('')}…)` : label;
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
