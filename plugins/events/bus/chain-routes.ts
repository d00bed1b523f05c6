import { limitOf, type Route, type Scope, SCOPED, VIEWER } from '../../../kernel/contracts/index.ts';
import { withDefinitions } from '../../platform/schema/contract.ts';
import linkSchema from './schema/chain-link.schema.json' with { type: 'json' };
import querySchema from './schema/chain-query.schema.json' with { type: 'json' };
import chainSchema from './schema/chain.schema.json' with { type: 'json' };
import type { Chains } from './service/chain.ts';

const responses = {
  200: {
    description: 'Causes and effects.',
    schema: withDefinitions(chainSchema, { 'chain-link': linkSchema }),
  },
};

const chainRoute = (
  kind: 'run' | 'event',
  operation: string,
  summary: string,
  read: (scope: Scope, id: string, limit: number) => ReturnType<Chains['readRunChain']>,
): Route => ({
  method: 'GET',
  path: `${SCOPED}/${kind}s/:${kind}/chain`,
  operation,
  summary,
  access: VIEWER,
  query: querySchema,
  responses: responses,
  handle: async ({ scope, params, query }) => ({
    status: 200,
    json: await read(scope, params[kind] ?? '', limitOf(query)),
  }),
});

export const chainRoutes = (chains: Chains): Route[] => [
  chainRoute('run', 'getRunChain', 'Show the causes and effects of a run', (scope, run, limit) =>
    chains.readRunChain(scope, run, limit),
  ),
  chainRoute('event', 'getEventChain', 'Show the causes and effects of an event', (scope, event, limit) =>
    chains.readEventChain(scope, event, limit),
  ),
];
