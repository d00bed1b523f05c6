import {
  type Clock,
  type HttpRequest,
  listRoute,
  type Route,
  SCOPED,
  VIEWER,
} from '../../../../kernel/contracts/index.ts';
import { RUN_SCHEMA } from '../../../engine/runs/contract.ts';
import listQuery from '../schema/list-runs-query.schema.json' with { type: 'json' };
import { parseRunFilter } from '../service/run-filter.ts';
import type { RunLists } from '../service/run-lists.ts';

export const listRunsRoute = (
  lists: RunLists,
  clock: Pick<Clock, 'now'>,
  urlOf: (request: HttpRequest, run_id: string) => string | undefined,
): Route =>
  listRoute({
    path: `${SCOPED}/runs`,
    operation: 'listRuns',
    summary: 'List runs, newest first',
    access: VIEWER,
    query: listQuery,
    plural: 'runs',
    item: RUN_SCHEMA,
    description: 'A page of runs.',
    async list(request) {
      const { runs, next_cursor } = await lists.list(request.scope, parseRunFilter(request.query, clock.now()));
      return { items: runs.map((run) => ({ ...run, run_url: urlOf(request, run.run_id) })), next_cursor };
    },
  });
