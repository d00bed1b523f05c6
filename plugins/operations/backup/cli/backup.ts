import type { Run } from '../../../../cli/contract.ts';
import { callTool } from './call.ts';

export const run: Run = async (invocation) => {
  const { args, output } = invocation;
  const { json, text } = await callTool('backup', invocation);
  // Standard output is the backup then.
  if (args[0] === '-') output.note(output.json ? JSON.stringify(json) : text);
  else output.data(json, () => text);
  return undefined;
};
