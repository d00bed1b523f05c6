import { type Api, type Columns, formatItem, type Run, suggestEmittedTypes } from '../../../../cli/contract.ts';
import { storedPath } from './document.ts';

type Registered = Api.PublishedGraph['triggers'][number];

const COLUMNS: Columns<Registered> = {
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
  const published = await api.json<Api.PublishedGraph>({ method: 'POST', path: `${path}/publish`, body });
  output.data(published, () => published.triggers.map((one) => formatItem(COLUMNS, one, output)).join('\n\n'));
  for (const warning of published.warnings) output.note(`warning: ${warning}`);
  const on = output.json ? [] : published.triggers.flatMap((trigger) => trigger.on ?? []);
  for (const [type, suggestion] of await suggestEmittedTypes(api, on))
    output.note(`warning: this project has no ${type} event yet; did you mean \`${suggestion}\`?`);
  if (published.triggers.length === 0) output.noteEmpty('triggers');
  output.note(`Published graph ${published.name}, version ${published.published_version}`);
  if (published.triggers.some(({ secret }) => secret !== undefined))
    output.note('Store the secret now: it is shown only once. Senders put it in the X-Svc-Hook-Secret header.');
  return undefined;
};
