import { Errors, type HttpRequest } from '../../../../kernel/contracts/index.ts';
import type { RunQuery, SavedFilters } from '../contract.ts';

export type ReadQuery = (request: HttpRequest) => Promise<RunQuery>;

/** Reads the query of a request. The filter of the view that it names applies below it: a filter of the query replaces the view's. */
export const withSavedFilter =
  (sources: () => readonly SavedFilters[]): ReadQuery =>
  async ({ query: { view, ...given }, scope, principal }) => {
    if (view === undefined) return given;
    const [source] = sources();
    if (source === undefined) throw Errors.notFound('this server keeps no saved views');
    return { ...(await source.filterOf(scope, principal, view)), ...given };
  };
