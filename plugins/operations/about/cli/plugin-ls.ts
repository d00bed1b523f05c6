import type { Api, Run } from '../../../../cli/contract.ts';

type PluginView = Api.PluginList['plugins'][number];

export const run: Run = async ({ output, client }) => {
  const list = await (await client()).json<Api.PluginList>({ path: '/api/v1/plugins' });
  output.data(list, () => output.table(['id', 'version', 'from', 'adds', 'health'], list.plugins.map(toRow)));
  return undefined;
};

function toRow(plugin: PluginView): string[] {
  const { id, version, builtin, adds } = plugin;
  const added = adds.reduce((sum, { names }) => sum + names.length, 0);
  return [id, version, builtin ? 'svc' : 'SVC_PLUGINS', String(added), formatHealth(plugin)];
}

function formatHealth({ health }: PluginView): string {
  const failing = health.filter(({ ok }) => !ok).map(({ name }) => name);
  if (failing.length > 0) return `failing: ${failing.join(', ')}`;
  return health.length > 0 ? 'ok' : '';
}
