import { type Client, type Invocation, usageError } from '../../../../cli/contract.ts';
import { readFolder } from './project/folder.ts';
import { makePlan, type Plan, label } from './project/plan.ts';
import { readSchemas } from './project/schemas.ts';

/** Reads the folder of `-f` and compares it with the project. */
export async function open(invocation: Invocation): Promise<{ api: Client; plan: Plan }> {
  const { flags, client } = invocation;
  if (flags.folder === undefined) throw usageError('-f is missing', "name the folder with the project's files");
  const api = await client();
  const desired = await readFolder(String(flags.folder), await readSchemas(api), invocation);
  return { api, plan: await makePlan(api, desired, { prune: flags.all ? 'all' : 'applied' }) };
}

const MAX_NAMED = 10;

/** Names what no file describes and --prune keeps. */
export function noteUnmanaged({ unmanaged }: Plan, { output }: Invocation): void {
  if (unmanaged.length === 0) return;
  const more = unmanaged.length > MAX_NAMED ? ` and ${unmanaged.length - MAX_NAMED} more` : '';
  const names = unmanaged.slice(0, MAX_NAMED).map(label).join(', ');
  output.note(`made by hand, without a file: ${names}${more}`);
}
