import { type Api, Exit, readJson, type Run } from '../../../cli/contract.ts';

export const run: Run = async (invocation) => {
  const { args, flags, output, client } = invocation;
  const names = flags.names === undefined ? {} : await readJson(String(flags.names), 'names', invocation);
  const input = flags.input === undefined ? {} : { input: await readJson(String(flags.input), 'input', invocation) };
  const api = await client();
  const body = { expression: args[0], names: { ...(names as object), ...input } };
  const found = await api.json<Api.EvaluatedExpression>({
    method: 'POST',
    path: api.scoped('/expressions/evaluate'),
    body,
  });
  output.data(found, () => (found.ok ? JSON.stringify(found.value, null, 2) : ''));
  if (found.ok) return undefined;
  const places = found.problems?.map(({ line, column, message }) => `line ${line}, column ${column}: ${message}`);
  output.note(places?.join('\n') ?? `no value: ${found.reason}`);
  return Exit.failed;
};
