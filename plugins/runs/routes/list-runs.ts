import type { Clock, HttpAddress, Route } from '../../../kernel/contracts/index.ts';
import querySchema from '../schema/list-runs-query.schema.json' with { type: 'json' };
import runSchema from '../schema/run.schema.json' with { type: 'json' };
import { renderRun, runUrl } from '../service/render.ts';
import { parseRunFilter } from '../service/run-filter.ts';
import type { RunViews } from '../service/run-views.ts';
import { listSchema } from './list-schema.ts';
import { SCOPED, VIEWER } from './paths.ts';

/** `GET {scoped}/runs`: newest first, filtered by status, tag, workflow and time. */
export function listRunsRoute(views: RunViews, clock: Clock, address: HttpAddress): Route {
  return {
    method: 'GET',
    path: `${SCOPED}/runs`,
    operation: 'listRuns',
    summary: 'List runs, newest first',
    access: VIEWER,
    query: querySchema,
    responses: { 200: { description: 'A page of runs.', schema: listSchema('runs', runSchema) } },
    async handle({ scope, query }) {
      const { runs, next_cursor } = await views.list(scope.project_id, parseRunFilter(query, clock.now()));
      const rendered = runs.map((run) => renderRun(run, runUrl(address.public_url(), scope, run.run_id)));
      return { status: 200, json: { runs: rendered, next_cursor } };
    },
  };
}
