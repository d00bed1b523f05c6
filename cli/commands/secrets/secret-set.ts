import type { Run } from '../../command.ts';
import { readSecret } from '../../input.ts';

export const run: Run = async (invocation) => {
  const { args, output, client } = invocation;
  const [name = '', given = ''] = args;
  const api = await client();
  const path = api.scoped(`/secrets/${encodeURIComponent(name)}`);
  const value = await readSecret(given, '<value>', invocation);
  const { status, body } = await api.answer({ method: 'PUT', path, body: { value } });
  output.data(body, () => '');
  output.note(status === 201 ? `secret ${name} is set` : `secret ${name} is set anew`);
  return undefined;
};
