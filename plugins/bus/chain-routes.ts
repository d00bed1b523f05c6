import { limitOf, type Route, SCOPED, VIEWER } from '../../kernel/contracts/index.ts';
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

/** Chains of runs and events. */
export const chainRoutes = (chains: Chains): Route[] => [
  {
    method: 'GET',
    path: `${SCOPED}/runs/:run/chain`,
    operation: 'getRunChain',
    summary: 'Show the runs and events that led to a run, and those that came of it',
    access: VIEWER,
    query: querySchema,
    responses: answers,
    handle: async ({ scope, params, query }) => ({
      status: 200,
      json: await chains.ofRun(scope, params.run ?? '', limitOf(query)),
    }),
  },
  {
    method: 'GET',
    path: `${SCOPED}/events/:event/chain`,
    operation: 'getEventChain',
    summary: 'Show the runs and events that led to an event, and those that came of it',
    access: VIEWER,
    query: querySchema,
    responses: answers,
    handle: async ({ scope, params, query }) => ({
      status: 200,
      json: await chains.ofEvent(scope, params.event ?? '', limitOf(query)),
    }),
  },
];
