import { largePages, limitOf, MEMBER, type Route, SCOPED } from '../../../../kernel/contracts/index.ts';
import { JOURNAL_RECORD_SCHEMA } from '../../../engine/runs/contract.ts';
import { withDefinitions } from '../../../platform/schema/contract.ts';
import historyQuery from '../schema/history-query.schema.json' with { type: 'json' };
import historySchema from '../schema/run-history.schema.json' with { type: 'json' };
import type { Histories } from '../service/histories.ts';

/** What `svc check --replay` reads. Members may submit scripts, which see as much. */
export const historyRoute = (histories: Histories): Route =>
  largePages({
    method: 'GET',
    path: `${SCOPED}/runs/:run/history`,
    operation: 'readHistory',
    summary: "Show the data that a script's replay reads: its input, its variables and its recorded calls",
    access: MEMBER,
    query: historyQuery,
    responses: {
      200: {
        description: 'A page.',
        schema: withDefinitions(historySchema, { 'journal-record': JOURNAL_RECORD_SCHEMA }),
      },
    },
    handle: async ({ scope, params, query }) => ({
      status: 200,
      json: await histories.read(scope, params.run!, { limit: limitOf(query), cursor: query.cursor }),
    }),
  });
