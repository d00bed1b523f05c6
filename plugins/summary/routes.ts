import { type Route, SCOPED, VIEWER } from '../../kernel/contracts/index.ts';
import type { Summary } from './generated/summary.ts';
import querySchema from './schema/summary-query.schema.json' with { type: 'json' };
import summarySchema from './schema/summary.schema.json' with { type: 'json' };
import { isWindow, WINDOW } from './service/windows.ts';
import type { Needs } from './service/needs.ts';
import type { Summaries } from './service/summaries.ts';

export const summaryRoute = (summaries: Summaries, needs: Needs): Route => ({
  method: 'GET',
  path: `${SCOPED}/summary`,
  operation: 'getSummary',
  summary: 'How the project stands: its runs, what waits, what failed and what needs somebody',
  access: VIEWER,
  query: querySchema,
  responses: { 200: { description: 'The summary; at most two seconds old.', schema: summarySchema } },
  async handle(request) {
    const { window = WINDOW } = request.query;
    if (!isWindow(window)) throw new Error(`the schema let the window ${window} pass`);
    const [figures, attention] = [await summaries.of(request.scope, window), await needs.of(request)];
    return { status: 200, json: { ...figures, attention } satisfies Summary };
  },
});
