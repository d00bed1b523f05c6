import { type Route, SCOPED, VIEWER } from '../../../kernel/contracts/index.ts';
import type { Summary } from './generated/summary.ts';
import querySchema from './schema/summary-query.schema.json' with { type: 'json' };
import summarySchema from './schema/summary.schema.json' with { type: 'json' };
import { isWindow, WINDOW } from './service/windows.ts';
import type { AttentionList } from './service/attention-list.ts';
import type { Summaries } from './service/summaries.ts';

export const summaryRoute = (summaries: Summaries, attention_list: AttentionList): Route => ({
  method: 'GET',
  path: `${SCOPED}/summary`,
  operation: 'getSummary',
  summary: 'Show an overview of the project: its runs, waits, failures and what needs attention',
  access: VIEWER,
  query: querySchema,
  responses: { 200: { description: 'The summary; at most two seconds old.', schema: summarySchema } },
  async handle(request) {
    const { window = WINDOW } = request.query;
    if (!isWindow(window)) throw new Error(`the schema let the window ${window} pass`);
    const [stats, attention] = [await summaries.read(request.scope, window), await attention_list.read(request)];
    return { status: 200, json: { ...stats, attention } satisfies Summary };
  },
});
