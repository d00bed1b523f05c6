import { type Clock, type Database, Errors, iso, type Route, SCOPED, VIEWER } from '../../../kernel/contracts/index.ts';
import { SharedAnswers } from '../../platform/resources/contract.ts';
import { readSince } from '../../platform/schema/contract.ts';
import type { Insights } from './generated/insights.ts';
import querySchema from './schema/insights-query.schema.json' with { type: 'json' };
import insightsSchema from './schema/insights.schema.json' with { type: 'json' };
import type { IdleHandlers } from './service/idle-handlers.ts';
import type { RunInsights } from './service/run-insights.ts';

const DEFAULT_SINCE = '24h';
/** Requests for the same time within this share one answer. */
const AGE_MS = 5000;

export interface InsightDeps {
  insights: Pick<RunInsights, 'read'>;
  handlers: Pick<IdleHandlers, 'read'>;
  database: Pick<Database, 'now'>;
  clock: Pick<Clock, 'monotonic'>;
}

export function insightsRoute({ insights, handlers, database, clock }: InsightDeps): Route {
  const shared = new SharedAnswers<Insights>(clock, AGE_MS);
  return {
    method: 'GET',
    path: `${SCOPED}/insights`,
    operation: 'getInsights',
    summary: 'Find what runs waited for, which retries never helped, what became slower, and idle handlers',
    access: VIEWER,
    query: querySchema,
    responses: { 200: { description: 'The findings; at most five seconds old.', schema: insightsSchema } },
    async handle({ scope, query: { since = DEFAULT_SINCE } }) {
      const now = database.now();
      const from = readSince(since, now);
      if (from > now) throw inFuture();
      const json = await shared.get(`${scope.project_id} ${since}`, async () => ({
        since: iso(from),
        at: iso(now),
        ...(await insights.read(scope, from, now)),
        handlers: await handlers.read(scope, from),
      }));
      return { status: 200, json };
    },
  };
}

function inFuture() {
  const message = 'is in the future; set a time in the past, or a duration such as 24h';
  return Errors.invalidRequest(`since ${message}`, { errors: [{ pointer: '/query/since', message }] });
}
