import { type Api, type Columns, formatItem, type Run } from '../../../../cli/contract.ts';
import { storedPath } from './document.ts';

type Registered = NonNullable<Api.GraphView['triggers']>[number];

const COLUMNS: Columns<Api.GraphView> = {
  graph: 'name',
  version: ({ version_number, latest_version }) =>
    version_number === latest_version ? version_number : `${version_number} of ${latest_version}`,
  published: ({ published_version }) => published_version,
  triggers: ({ triggers = [] }) => triggers.map(triggerText).join(', '),
  'set at': 'set_at',
};

const triggerText = ({ node_id, type, on, schedule }: Registered): string =>
  `${node_id} (${on?.join(' ') ?? schedule ?? type})`;

export const run: Run = async ({ args, flags, output, client }) => {
  const api = await client();
  const graph = await api.json<Api.GraphView>({ ...storedPath(api, args[0]!), expects: ['document'] });
  output.data(graph, () => {
    const document = JSON.stringify(graph.document, null, 2);
    return flags.source ? document : `${formatItem(COLUMNS, graph, output)}\n${document}`;
  });
  return undefined;
};
