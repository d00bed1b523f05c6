import type { WorkerTools } from '../../../platform/expressions/contract.ts';
import { parseExact } from '../../../platform/schema/contract.ts';
import { checkInput, type Json } from '../contract.ts';

/**
 * Checks an input, in JSON, in a worker thread, and answers in JSON: numbers that no double represents are no plain values.
 * @public
 */
export const checkInputInWorker = (_tools: WorkerTools, schema: string, input: string): string =>
  JSON.stringify(checkInput(schema, parseExact(input) as Json));
