import type { Api, Run } from '../../../cli/contract.ts';

export const run: Run = async ({ args, flags, output, client }) => {
  const api = await client();
  const path = api.scoped(`/runs/${encodeURIComponent(args[0]!)}`);
  if (flags.input) {
    const given = await api.json<Api.RunInput>({ path: `${path}/input` });
    output.data(given, () => JSON.stringify(given.envelope, null, 2));
    return undefined;
  }
  const document = await api.json<Api.RunDocument>({ path: `${path}/document` });
  output.data(document, () => document.source.replace(/\n$/, ''));
  return undefined;
};
