import type { Failure } from '../../runs/contract.ts';
import type { PlannedNode } from './plan.ts';

/** Failures that another attempt would repeat. */
const NON_RETRYABLE: ReadonlySet<string> = new Set([
  'flow_expression_failed',
  'flow_node_unknown',
  'flow_config_invalid',
  'flow_fan_out_too_large',
  'flow_output_too_large',
  'flow_kept_result_gone',
]);

/**
 * The limit of a pause that the failed server requests. When it asked for longer, the next attempt comes early and is
 * told again.
 */
const MAX_RETRY_AFTER_MS = 24 * 3_600_000;

/** Returns true when another attempt may succeed. */
export const isRetryable = ({ code, final }: Failure): boolean => !final && !NON_RETRYABLE.has(code);

/** Returns the pause before the next attempt: the node's own, or a longer one that the failed server requests. */
export const retryPause = ({ retry }: PlannedNode, { retry_after_ms = 0 }: Failure): number =>
  Math.max(retry?.backoff_ms ?? 0, Math.min(retry_after_ms, MAX_RETRY_AFTER_MS));
