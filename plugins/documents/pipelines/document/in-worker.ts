import type { WorkerTools } from '../../../platform/expressions/contract.ts';
import { type Read, readPipeline } from './read.ts';

/**
 * Reads a pipeline in a worker thread.
 * @public
 */
export const readInWorker = ({ expressions }: WorkerTools, text: string): Read => readPipeline(text, expressions);
