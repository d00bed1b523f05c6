import { limitOf, listRoute, type Route, SCOPED, VIEWER } from '../../../../kernel/contracts/index.ts';
import signalSchema from '../schema/signal.schema.json' with { type: 'json' };
import signalsQuery from '../schema/signals-query.schema.json' with { type: 'json' };
import type { SignalViews } from '../service/signal-views.ts';

export const listSignalsRoute = (views: SignalViews): Route =>
  listRoute({
    path: `${SCOPED}/runs/:run/signals`,
    operation: 'listSignals',
    summary: 'List the signals that were sent to a run, newest first, without their payloads',
    access: VIEWER,
    query: signalsQuery,
    plural: 'signals',
    item: signalSchema,
    description: 'A page of signals.',
    async list({ scope, params, query }) {
      const state = query.state as 'queued' | 'taken' | undefined;
      const page = { limit: limitOf(query), cursor: query.cursor, state };
      const { signals, next_cursor } = await views.list(scope, params.run!, page);
      return { items: signals, next_cursor };
    },
  });
