import { isServiceError, type Log } from '../../../kernel/contracts/index.ts';
import type { Failure } from '../../runs/contract.ts';

export interface FaultParts {
  log: Log;
}

/** Codes for faults of the service: in a type of node or a language, and in the output of a run. */
export const NODE_FAULT = 'flow_node_failed';
export const OUTPUT_FAULT = 'flow_output_failed';

/**
 * Code and message of an error that fails an attempt or a run. An error without a code is a fault of the service: it
 * gets `fault` as its code, and is logged. Throws errors from 500 on, because the database may carry out the next
 * transaction.
 */
export function reasonOf(
  error: unknown,
  log: Log,
  where: { run_id: string; node?: string },
  fault: string,
): Omit<Failure, 'status'> {
  if (isServiceError(error)) {
    if (error.status >= 500) throw error;
    const { final, retryAfterMs: retry_after_ms } = error.extras;
    return { code: error.code, message: error.message, final, retry_after_ms };
  }
  log.error({ ...where, err: error }, 'a flow met a fault of the service; what it was doing fails');
  return { code: fault, message: error instanceof Error ? error.message : String(error) };
}
