import { type FlowOptions, KEYED, type Keyed } from '../contract/flow-options.ts';
import { computeKey, type Evaluate } from './keys.ts';

/** Deliveries of one handler that may wait before emits are rejected. Many of those that are merged start one run. */
const MAX_WAITING = 1000;
const MAX_MERGED = 10_000;
/** As many untrusted ones may wait, besides the trusted ones. */
const UNTRUSTED_SHARE = 0.25;

export const maxWaiting = ({ debounce, batch }: FlowOptions, trusted: boolean): number =>
  (debounce || batch ? MAX_MERGED : MAX_WAITING) * (trusted ? 1 : UNTRUSTED_SHARE);

/** How many seconds earlier or later than it did a delivery can seem to have come. */
const MAX_PRIORITY = 600;

/** The options of a handler with the values of their keys for one event. */
export interface Flow {
  options: FlowOptions;
  keys: { readonly [option in Keyed]?: string };
  /** In seconds. */
  priority: number;
}

/** Returns the expressions of options, whose values `computeFlow` needs. */
export const listExpressions = (options: FlowOptions): string[] => [
  ...KEYED.flatMap((option) => options[option]?.key ?? []),
  ...(typeof options.priority === 'string' ? [options.priority] : []),
];

/** Returns the values of the keys for an event, or why one has no value. */
export function computeFlow(evaluate: Evaluate, options: FlowOptions): Flow | { reason: string } {
  const keys: { [option in Keyed]?: string } = {};
  for (const option of KEYED) {
    const { key } = options[option] ?? {};
    if (options[option] === undefined) continue;
    const computed = computeKey(evaluate, option, key);
    if ('reason' in computed) return computed;
    keys[option] = computed.value;
  }
  return { options, keys, priority: computePriority(evaluate, options.priority) };
}

/** A priority that is not a number counts as 0, because an event must not be lost for it. */
function computePriority(evaluate: Evaluate, priority: FlowOptions['priority'] = 0): number {
  if (typeof priority === 'number') return priority;
  const result = evaluate(priority);
  const seconds = result.ok ? Number(result.value) : 0;
  return Number.isFinite(seconds) ? Math.trunc(Math.max(-MAX_PRIORITY, Math.min(MAX_PRIORITY, seconds))) : 0;
}
