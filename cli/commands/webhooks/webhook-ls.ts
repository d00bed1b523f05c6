import { allPages } from '../../client/pages.ts';
import type { Run } from '../../command.ts';
import { runsOf, type Webhook } from './shown.ts';

export const run: Run = async ({ output, client }) => {
  const api = await client();
  const webhooks = await allPages<Webhook>(api, api.scoped('/webhooks'), 'webhooks');
  output.data({ webhooks }, () =>
    webhooks.length > 0
      ? output.table(
          ['name', 'forge', 'repo', 'runs', 'at forge', 'address'],
          webhooks.map((one) => [one.name, one.forge, one.repo, runsOf(one), one.registration, one.delivery_url]),
        )
      : '',
  );
  return undefined;
};
