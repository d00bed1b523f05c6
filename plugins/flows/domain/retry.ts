import type { Failure } from '../../runs/contract.ts';
import type { PlannedNode } from './plan.ts';

/** Failures that another attempt would repeat. */
const UNREPEATABLE: ReadonlySet<string> = new Set([
  'flow_expression_failed',
  'flow_node_unknown',
  'flow_config_invalid',
  'flow_fan_out_too_large',
  'flow_output_too_large',
  'flow_kept_result_gone',
]);

/** A far end may ask for a longer pause; then the next attempt comes early and is told so again. */
const MAX_RETRY_AFTER_MS = 24 * 3_600_000;

/** True when another attempt may succeed. */
export const isRepeatable = ({ code, final }: Failure): boolean => !final && !UNREPEATABLE.has(code);

/** The pause before the next attempt: the node's own, or a longer one that the far end asked for. */
export const pauseOf = ({ retry }: PlannedNode, { retry_after_ms = 0 }: Failure): number =>
  Math.max(retry?.backoff_ms ?? 0, Math.min(retry_after_ms, MAX_RETRY_AFTER_MS));
