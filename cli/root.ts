import type { OutsideFault, RootFault, WorkflowRoot } from '../plugins/execution/scripts/contract/workflow-root.ts';
import { CliError, Exit, usageError } from './errors.ts';

export type { WorkflowRoot };

const load = () => import('../plugins/execution/scripts/contract/workflow-root.ts');

/** Returns the folder that the files of a workflow may come from: its own, or that of `--root`. Throws a usage error. */
export async function workflowRoot(file: string, chosen?: unknown, env = process.env): Promise<WorkflowRoot> {
  const { resolveRoot: rootOf } = await load();
  return await confined(
    rootOf(file === '-' ? './-' : file, { chosen: chosen === undefined ? undefined : String(chosen), env }),
  );
}

/** Streams a file that lies in the root. Throws `include_outside` for one that does not. */
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
