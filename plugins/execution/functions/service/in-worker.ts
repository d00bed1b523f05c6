import { isServiceError } from '../../../../kernel/contracts/index.ts';
import type { WorkerTools } from '../../../platform/expressions/contract.ts';
import { findInputErrors, findSchemaError, type InputFindings } from './input-schema.ts';

/**
 * Compiles a schema in a worker thread.
 * @public
 */
export const findSchemaErrorInWorker = (_tools: WorkerTools, schema: string): string | undefined =>
  findSchemaError(schema);

/**
 * Checks an input, in JSON, in a worker thread. Only the message of an error survives the copy to another thread.
 * @public
 */
export function checkInputInWorker(_tools: WorkerTools, schema: string, input: string): InputFindings {
  try {
    return { errors: findInputErrors(schema, JSON.parse(input)) };
  } catch (error) {
    if (!isServiceError(error, 'input_invalid')) throw error;
    return { errors: [], failure: error.message };
  }
}
