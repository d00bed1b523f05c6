import { limitOf, type Route, type Scope, SCOPED, VIEWER } from '../../kernel/contracts/index.ts';
import { withDefinitions } from '../schema/contract.ts';
import linkSchema from './schema/chain-link.schema.json' with { type: 'json' };
import querySchema from './schema/chain-query.schema.json' with { type: 'json' };
import chainSchema from './schema/chain.schema.json' with { type: 'json' };
import type { Chains } from './service/chain.ts';

const answers = {
  200: {
    description: 'What led here, and what came of it.',
    schema: withDefinitions(chainSchema, { 'chain-link': linkSchema }),
  },
};

const chainRoute = (
  of: 'run' | 'event',
  operation: string,
  summary: string,
  read: (scope: Scope, id: string, limit: number) => ReturnType<Chains['ofRun']>,
): Route => ({
  method: 'GET',
  path: `${SCOPED}/${of}s/:${of}/chain`,
  operation,
  summary,
  access: VIEWER,
  query: querySchema,
  responses: answers,
  handle: async ({ scope, params, query }) => ({
    status: 200,
    json: await read(scope, params[of] ?? '', limitOf(query)),
  }),
});

/** Chains of runs and events. */
export const chainRoutes = (chains: Chains): Route[] => [
  chainRoute(
    'run',
    'getRunChain',
    'Show the runs and events that led to a run, and those that came of it',
    (scope, run, limit) => chains.ofRun(scope, run, limit),
  ),
  chainRoute(
    'event',
    'getEventChain',
    'Show the runs and events that led to an event, and those that came of it',
    (scope, event, limit) => chains.ofEvent(scope, event, limit),
  ),
];
