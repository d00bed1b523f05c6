import type { OutsideFault, RootFault, WorkflowRoot } from '../plugins/scripts/contract/workflow-root.ts';
import { CliError, Exit, usageError } from './errors.ts';

export type { WorkflowRoot };

const load = () => import('../plugins/scripts/contract/workflow-root.ts');

/** The folder that the files of a workflow come from: its own one, or that of `--root`. Throws what a person can do. */
export async function workflowRoot(file: string, chosen?: unknown): Promise<WorkflowRoot> {
  const { rootOf } = await load();
  return await confined(rootOf(file === '-' ? './-' : file, chosen === undefined ? undefined : String(chosen)));
}

/** The bytes of a file that lies in the root, as a stream. Throws what a person can do about one that does not. */
export async function openInRoot(root: WorkflowRoot, path: string, named: string): Promise<AsyncIterable<unknown>> {
  const { openWithin } = await load();
  const file = await confined(openWithin(root, path, named));
  return file.createReadStream();
}

async function confined<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const { OutsideFault, RootFault } = await load();
    if (error instanceof RootFault) throw usageError(error.message, error.next);
    if (error instanceof OutsideFault) throw outside(error);
    throw error;
  }
}

const outside = ({ message, next }: OutsideFault | RootFault): CliError =>
  new CliError(Exit.usage, 'include_outside', message, next);
