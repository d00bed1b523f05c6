import { isServiceError, type Log } from '../../../../kernel/contracts/index.ts';
import type { Failure } from '../../runs/contract.ts';

export interface FailureDeps {
  log: Log;
}

/** Codes for errors of the service, in a node type or a language, and in the output of a run. */
export const NODE_FAILED = 'flow_node_failed';
export const OUTPUT_FAILED = 'flow_output_failed';

/**
 * Converts an error that fails an attempt or a run. An error without a code is an error of the service: it gets the
 * given code and is logged. Throws errors with status 500 or more, because the next transaction may succeed.
 */
export function toFailure(
  error: unknown,
  log: Log,
  context: { run_id: string; node?: string },
  code: string,
): Omit<Failure, 'status'> {
  if (isServiceError(error)) {
    if (error.status >= 500) throw error;
    const { final, retryAfterMs: retry_after_ms } = error.extras;
    return { code: error.code, message: error.message, final, retry_after_ms };
  }
  log.error({ ...context, err: error }, 'an internal error occurred in a flow; its current node fails');
  return { code: code, message: error instanceof Error ? error.message : String(error) };
}
