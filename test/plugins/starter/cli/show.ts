import type { Run } from 'svc/cli';

export const run: Run = async ({ args, output, client }) => {
  const api = await client();
  const path = api.scoped(`/starter/${args[0]}`);
  const count = await api.json<{ name: string; counted: number }>({ path });
  // Text for people; with --json the whole answer.
  output.data(count, () => `${count.name}: ${count.counted}`);
  return undefined;
};
