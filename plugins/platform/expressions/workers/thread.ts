import { parentPort } from 'node:worker_threads';
import { createExpressions } from '../create-expressions.ts';
import type { WorkerTask, WorkerTools } from '../contract.ts';

type Task = Pick<WorkerTask, 'module' | 'name' | 'args'>;

const tools: WorkerTools = { expressions: createExpressions() };

/** Runs a task. An error that it throws is a bug in the code, not a problem of the document. */
async function work({ module, name, args }: Task): Promise<{ result: unknown } | { error: unknown }> {
  try {
    const loaded = (await import(module)) as Record<string, (tools: WorkerTools, ...args: unknown[]) => unknown>;
    return { result: loaded[name]!(tools, ...args) };
  } catch (error) {
    return { error: error };
  }
}

parentPort!.on('message', (task: Task) => {
  void work(task).then((answer) => parentPort!.postMessage(answer));
});
