import { readJson, type Run, runTest, usageError } from '../../../../cli/contract.ts';

export const run: Run = async (invocation) => {
  const { connector, url, with: fields } = invocation.flags;
  if ((connector === undefined) === (url === undefined))
    throw usageError('there must be either --connector or --url', '`svc connector ls` lists the connectors');
  if (url !== undefined && fields !== undefined)
    throw usageError('--with cannot be combined with --url', 'it belongs to --connector');
  const values = fields === undefined ? undefined : await readJson(String(fields), 'with', invocation);
  return runTest(invocation, 'credentials', { connector, url, with: values });
};
