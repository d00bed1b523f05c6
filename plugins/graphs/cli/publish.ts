import { type Api, type Columns, described, type Run } from '../../../cli/contract.ts';
import { storedPath } from './document.ts';

type Registered = Api.PublishedGraph['triggers'][number];

const SHOWN: Columns<Registered> = {
  trigger: 'node_id',
  type: 'type',
  on: 'on',
  address: 'ingest_url',
  secret: 'secret',
  schedule: 'schedule',
  'next due': 'next_due',
};

export const run: Run = async ({ args, output, client }) => {
  const api = await client();
  const { path, query } = storedPath(api, args[0]!);
  const body = { version_number: query.version };
  const answer = await api.json<Api.PublishedGraph>({ method: 'POST', path: `${path}/publish`, body });
  output.data(answer, () => answer.triggers.map((one) => described(SHOWN, one, output)).join('\n\n'));
  for (const warning of answer.warnings) output.note(`warning: ${warning}`);
  if (answer.triggers.length === 0) output.none('triggers');
  output.note(`graph ${answer.name} is published in version ${answer.published_version}`);
  if (answer.triggers.some(({ secret }) => secret !== undefined))
    output.note('store the secret now: it is not shown again. Senders put it into the header X-Svc-Hook-Secret');
  return undefined;
};
