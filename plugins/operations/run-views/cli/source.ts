import type { Api, Run } from '../../../../cli/contract.ts';

export const run: Run = async ({ args, flags, output, client }) => {
  const api = await client();
  const path = api.scoped(`/runs/${encodeURIComponent(args[0]!)}`);
  if (flags.input) {
    const given = await api.json<Api.RunInput>({ path: `${path}/input` });
    output.data(given, () => JSON.stringify(given.envelope, null, 2));
    return undefined;
  }
  const document = await api.json<Api.RunDocument>({ path: `${path}/document` });
  const { files = [] } = document;
  if (flags.files) {
    const rows = files.map(({ path, size, digest, executable }) => [
      ...[executable ? `${path}*` : path, String(size), digest],
    ]);
    output.data({ files }, () => (rows.length === 0 ? '' : output.table(['file', 'bytes', 'digest'], rows)));
    if (rows.length === 0) output.note('no included files');
    return undefined;
  }
  output.data(document, () => document.source.replace(/\n$/, ''));
  if (files.length > 0)
    output.note(`${files.length === 1 ? 'a file is' : `${files.length} files are`} included with it: add --files`);
  return undefined;
};
