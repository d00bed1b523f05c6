import { Readable } from 'node:stream';
import { type Clock, type HttpRequest, type Route, SCOPED, VIEWER } from '../../../../kernel/contracts/index.ts';
import type { Run } from '../../../engine/runs/contract.ts';
import exportQuery from '../schema/export-runs-query.schema.json' with { type: 'json' };
import { csvHeader, csvLine } from '../service/csv.ts';
import { parseRunFilter, parseRunTerms } from '../service/run-filter.ts';
import type { RunLists } from '../service/run-lists.ts';
import type { ReadQuery } from './saved-filter.ts';

/** Runs of one read. No more than two pages are in memory, however many runs there are. */
const PAGE = 100;
const BUFFERED_BYTES = 32 * 1024;

export const exportRunsRoute = (
  lists: Pick<RunLists, 'pages'>,
  clock: Pick<Clock, 'now'>,
  queryOf: ReadQuery,
  urlOf: (request: HttpRequest, run_id: string) => string | undefined,
): Route => ({
  method: 'GET',
  path: `${SCOPED}/run-export`,
  operation: 'exportRuns',
  summary: 'Export runs as CSV or JSON lines, newest first',
  access: VIEWER,
  streams: true,
  query: exportQuery,
  responses: {
    200: {
      description:
        'All runs that match. Cells of a table that a spreadsheet would read as a formula begin with an apostrophe. If the connection ' +
        'is lost, continue with `before` and the ID of the last run.',
      type: 'text/csv',
    },
  },
  async handle(request) {
    const { scope, signal } = request;
    const query = await queryOf(request);
    const csv = query.format === 'csv';
    const filter = { ...parseRunFilter(query, clock.now()), limit: PAGE, before: query.before };
    const pages = lists.pages(scope, filter, parseRunTerms(query));
    // The first page is read before the answer begins, so that an error has a status.
    const first = await pages.next();
    const format = (run: Run) =>
      csv ? csvLine(run) : `${JSON.stringify({ ...run, run_url: urlOf(request, run.run_id) })}\n`;
    async function* write() {
      if (csv && query.before === undefined) yield csvHeader();
      for (let page = first; !page.done && !signal.aborted; page = await pages.next())
        if (page.value.length > 0) yield page.value.map(format).join('');
    }
    const stream = Readable.from(write(), { objectMode: false, highWaterMark: BUFFERED_BYTES });
    const type = csv ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8';
    const name = `runs.${csv ? 'csv' : 'jsonl'}`;
    return {
      status: 200,
      stream,
      type,
      headers: { 'Cache-Control': 'no-store', 'Content-Disposition': `attachment; filename="${name}"` },
    };
  },
});
