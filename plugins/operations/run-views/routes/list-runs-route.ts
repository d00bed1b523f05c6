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
import searchState from '../schema/search-state.schema.json' with { type: 'json' };
import { parseRunFilter, parseRunTerms } from '../service/run-filter.ts';
import type { RunLists } from '../service/run-lists.ts';
import type { ReadQuery } from './saved-filter.ts';

export const listRunsRoute = (
  lists: RunLists,
  clock: Pick<Clock, 'now'>,
  queryOf: ReadQuery,
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
    optional_members: { search: searchState },
    description: 'A page of runs.',
    async list(request) {
      const { scope } = request;
      const query = await queryOf(request);
      const page = await lists.list(scope, parseRunFilter(query, clock.now()), parseRunTerms(query));
      const items = page.runs.map((run) => ({ ...run, run_url: urlOf(request, run.run_id) }));
      return { items, search: page.search, ...(page.next_cursor !== undefined && { next_cursor: page.next_cursor }) };
    },
  });
