import type { WorkerTools } from '../../../platform/expressions/contract.ts';
import { findSchemaError } from '../../../platform/schema/contract.ts';

/**
 * Compiles a schema in a worker thread.
 * @public
 */
export const findSchemaErrorInWorker = (_tools: WorkerTools, schema: string): string | undefined =>
  findSchemaError(schema);
