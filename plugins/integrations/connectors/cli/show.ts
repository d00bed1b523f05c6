import { type Api, formatLabels, type Run } from '../../../../cli/contract.ts';

type Manifest = Api.ConnectorManifest;
type Value = NonNullable<Manifest['fields']>[number];

export const run: Run = async ({ args, output, client }) => {
  const api = await client();
  const path = api.scoped(`/connectors/${encodeURIComponent(args[0]!)}`);
  const manifest = await api.json<Manifest>({ path });
  output.data(manifest, () => formatManifest(manifest));
  return undefined;
};

function formatManifest({
  name,
  title,
  description,
  credential,
  test,
  fields = [],
  actions = {},
  triggers = {},
  hook,
}: Manifest): string {
  const rows: [string, unknown][] = [
    ['connector', name],
    ['title', title],
    ['about', description],
    ['credential', credential && `${credential.kind}${credential.required === false ? ' (optional)' : ''}`],
    ['test', test && `${test.request.method} ${test.request.url}`],
    ['with', fields.map(formatValue).join('; ')],
    ...Object.entries(actions).map(([action, one]): [string, unknown] => [
      `${name}.${action}`,
      `${(one?.inputs ?? []).map(formatValue).join('; ')}${one?.more_inputs ? '; additional inputs are allowed' : ''}`,
    ]),
    ...Object.entries(triggers).map(([trigger, one]): [string, unknown] => [
      `trigger ${trigger}`,
      [`emits ${one?.event.type}`, ...(one?.inputs ?? []).map(formatValue)].join('; '),
    ]),
    ['hook', hook && (hook.token ? `a token in ${hook.token.header}` : `a signature in ${hook.signature?.header}`)],
  ];
  return formatLabels(rows);
}

/** Formats a field: `text: string, required, markdown`. */
function formatValue({ name, type, required, markdown, one_of, default: preset }: Value): string {
  const words = [
    `${name}: ${one_of ? one_of.join(' | ') : type}`,
    required ? 'required' : '',
    markdown ? 'markdown' : '',
    preset === undefined ? '' : `default ${JSON.stringify(preset)}`,
  ];
  return words.filter((word) => word !== '').join(', ');
}
