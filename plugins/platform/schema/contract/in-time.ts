import { createContext, Script } from 'node:vm';

const CALL = new Script('work()');
const CONTEXT = createContext({ work: (): unknown => undefined });

export interface TimeLimit {
  /** CPU time of this thread, in milliseconds. */
  max_ms: number;
  /** What is thrown when the work takes longer. */
  exceeded(): Error;
}

/**
 * Answers what `work` does, or stops it, because it holds the event loop. Node.js can only limit the time that passes, and on a
 * busy machine most of it belongs to other processes. The work is repeated with twice the time until it has used its own.
 */
export function inTime<T>(work: () => T, { max_ms, exceeded }: TimeLimit): T {
  CONTEXT.work = work;
  try {
    for (let timeout = max_ms; ; timeout *= 2) {
      const before = process.threadCpuUsage();
      try {
        return CALL.runInContext(CONTEXT, { timeout }) as T;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
        const { user, system } = process.threadCpuUsage(before);
        if ((user + system) / 1000 >= max_ms) throw exceeded();
      }
    }
  } finally {
    CONTEXT.work = undefined;
  }
}
