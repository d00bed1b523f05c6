import type { Run } from 'svc/cli';

export const run: Run = async ({ args, output, client }) => {
  const api = await client();
  const path = api.scoped(`/greetings/${args[0]}`);
  const said = await api.json<{ greeting: string; greeted: number }>({ path });
  output.data(said, () => `${said.greeting} (greeted ${said.greeted} times)`);
  return undefined;
};
