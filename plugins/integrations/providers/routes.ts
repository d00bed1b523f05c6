import {
  ADMIN,
  type Egress,
  listRoute,
  pageOf,
  readPage,
  type Route,
  SCOPED,
  VIEWER,
} from '../../../kernel/contracts/index.ts';
import checks from './schema/provider-checks.schema.json' with { type: 'json' };
import provider from './schema/provider.schema.json' with { type: 'json' };
import { checkProviders } from './service/check.ts';
import type { Registry } from './service/registry.ts';

/** The operator sets the providers; here they can be seen and tried. */
export const providerRoutes = (registry: Registry, egress: Egress): Route[] => [
  listRoute({
    path: `${SCOPED}/providers`,
    operation: 'listProviders',
    summary: 'List the providers whose accounts can be connected',
    description: 'All providers, in the order of the settings.',
    access: VIEWER,
    plural: 'providers',
    item: provider,
    async list({ query }) {
      const { limit, before } = readPage(query);
      const all = registry.list();
      const from = before === undefined ? 0 : all.findIndex(({ name }) => name === before) + 1;
      return pageOf(all.slice(from, from + limit + 1), limit, ({ name }) => name);
    },
  }),
  {
    method: 'POST',
    path: `${SCOPED}/providers/check`,
    operation: 'checkProviders',
    summary: 'Check every endpoint of every provider, and show what is wrong',
    access: ADMIN,
    responses: { 200: { description: 'One line for each endpoint.', schema: checks } },
    handle: async () => ({ status: 200, json: await checkProviders({ registry, egress }) }),
  },
];
