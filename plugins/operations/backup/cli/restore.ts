import { assertDatabaseFree, type Run, withSecretFiles } from '../../../../cli/contract.ts';
import { callTool } from './call.ts';

export const run: Run = async (invocation) => {
  const { flags, output, env } = invocation;
  if (flags.verify !== true) await assertDatabaseFree((await withSecretFiles(env)).SVC_DATABASE_URL);
  const { json, text } = await callTool('restore', invocation);
  output.data(json, () => text);
  return undefined;
};
