import { type Database, iso, type Route, SCOPED, VIEWER } from '../../../kernel/contracts/index.ts';
import type { RunRetry } from './generated/run-retry.ts';
import retrySchema from './schema/run-retry.schema.json' with { type: 'json' };
import type { HandlerSummary } from './service/definitions.ts';
import { handlers } from './store/handlers.ts';
import { findRetry } from './store/retries.ts';

export const retryRoute = (database: Database): Route => ({
  method: 'GET',
  path: `${SCOPED}/runs/:run/retry`,
  operation: 'getRunRetry',
  summary: "Show when a handler's failed run is rerun",
  access: VIEWER,
  responses: { 200: { description: 'The pending retry, if there is one.', schema: retrySchema } },
  async handle({ scope, params }) {
    const retry = await findRetry(database, scope, params.run!);
    if (!retry) return { status: 200, json: {} satisfies RunRetry };
    const { name, event_id, attempt, due_at } = retry;
    const handler = await handlers.find(database, scope, name);
    const limit = handler && (JSON.parse(handler.about) as HandlerSummary).retry?.limit;
    const json: RunRetry = {
      retry: { handler: name, event: event_id, attempt, ...(limit !== undefined && { limit }), at: iso(due_at) },
    };
    return { status: 200, json };
  },
});
