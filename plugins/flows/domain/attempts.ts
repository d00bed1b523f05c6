import { WHOLE } from './decide.ts';
import type { PlannedNode } from './plan.ts';

/** Failures that another attempt would repeat. */
export const UNREPEATABLE: ReadonlySet<string> = new Set([
  'flow_expression_failed',
  'flow_node_unknown',
  'flow_config_invalid',
  'flow_fan_out_too_large',
  'flow_output_too_large',
]);

/** The name of an activity for a node, or for one of its items. */
export const nameOf = ({ id }: PlannedNode, { item }: { item: number }): string =>
  item === WHOLE ? id : `${id}[${item}]`;
