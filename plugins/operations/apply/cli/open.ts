import { type Client, type Invocation, usageError } from '../../../../cli/contract.ts';
import { readFolder } from './project/folder.ts';
import { makePlan, type Plan, label } from './project/plan.ts';
import { readSchemas } from './project/schemas.ts';

interface Opened {
  api: Client;
  plan: Plan;
  /** Whether the folder describes no object. */
  is_empty: boolean;
}

/** Reads the folder of `-f` and compares it with the project. */
export async function open(invocation: Invocation): Promise<Opened> {
  const { flags, client } = invocation;
  if (flags.folder === undefined) throw usageError('-f is missing', "pass the folder with the project's files");
  const api = await client();
  const desired = await readFolder(String(flags.folder), await readSchemas(api), invocation);
  const plan = await makePlan(api, desired, { prune: flags.all ? 'all' : 'applied' });
  return { api, plan, is_empty: desired.length === 0 };
}

const MAX_NAMED = 10;

/** Names what no file describes and --prune keeps. */
export function noteUnmanaged({ unmanaged }: Plan, { output }: Invocation): void {
  if (unmanaged.length === 0) return;
  output.note(`created by hand, without a file: ${formatNames(unmanaged.map(label))}`);
}

export function formatNames(names: readonly string[]): string {
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  return `${names.slice(0, MAX_NAMED).join(', ')}${more}`;
}
