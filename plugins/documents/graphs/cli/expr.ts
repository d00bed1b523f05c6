import { type Api, Exit, readJson, type Run } from '../../../../cli/contract.ts';

export const run: Run = async (invocation) => {
  const { args, flags, output, client } = invocation;
  const names = flags.names === undefined ? {} : await readJson(String(flags.names), 'names', invocation);
  const input = flags.input === undefined ? {} : { input: await readJson(String(flags.input), 'input', invocation) };
  const api = await client();
  const body = { expression: args[0], names: { ...(names as object), ...input } };
  const result = await api.json<Api.EvaluatedExpression>({
    method: 'POST',
    path: api.scoped('/expressions/evaluate'),
    body,
    expects: ['ok'],
  });
  output.data(result, () => (result.ok ? JSON.stringify(result.value, null, 2) : ''));
  if (result.ok) return undefined;
  const positions = result.problems?.map(({ line, column, message }) => `line ${line}, column ${column}: ${message}`);
  output.note(positions?.join('\n') ?? `no value: ${result.reason}`);
  return Exit.failed;
};
