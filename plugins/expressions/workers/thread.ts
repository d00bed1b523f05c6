import { parentPort } from 'node:worker_threads';
import { createExpressions } from '../create-expressions.ts';
import type { WorkerTask, WorkerTools } from '../contract.ts';

type Task = Pick<WorkerTask, 'module' | 'name' | 'args'>;

const tools: WorkerTools = { expressions: createExpressions() };

/** One task after the other; what it throws is a fault of the code and not of the document. */
async function work({ module, name, args }: Task): Promise<{ result: unknown } | { fault: unknown }> {
  try {
    const loaded = (await import(module)) as Record<string, (tools: WorkerTools, ...args: unknown[]) => unknown>;
    return { result: loaded[name]!(tools, ...args) };
  } catch (error) {
    return { fault: error };
  }
}

parentPort!.on('message', (task: Task) => {
  void work(task).then((answer) => parentPort!.postMessage(answer));
});
