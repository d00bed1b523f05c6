import { extensionPoint, type Principal, token } from '../../../kernel/contracts/index.ts';

interface ProjectScope {
  org_id: string;
  project_id: string;
}

/** What a run must contain. All of it must match. */
export interface RunTerms {
  /** Words of the output of the run or of its steps. */
  output?: string | undefined;
  /** Words of the error code or message. */
  error?: string | undefined;
  /** The name of a step, a job or a node. */
  step?: string | undefined;
  /** The name of an account or credential that the submit or the document names. */
  account?: string | undefined;
}

/** How much of a project the index covers. Times are epoch ms. */
export interface IndexState {
  complete: boolean;
  /** Only runs that were created at this time or later, or that ended after the index began, are in the index. */
  indexed_from?: number;
  /** Only runs that ended before this time are in the index. */
  indexed_until?: number;
}

/** Finds runs by what they contain. */
export interface RunFinder {
  name: string;
  /**
   * Returns runs older than `before` that match, newest first, and the run after which the search continues. It reads a bounded
   * part of its index, so a result can be empty and have a `next`. Throws `invalid_request` for a text without a word.
   */
  find(
    scope: ProjectScope,
    terms: RunTerms,
    before: string | undefined,
  ): Promise<{ run_ids: string[]; next: string | undefined }>;
  state(scope: ProjectScope): Promise<IndexState>;
  /** Throws `invalid_request` as `find` does; `at` is the pointer of the terms. */
  check(terms: RunTerms, at: string): void;
}

/** The first one answers. Without any, lists refuse to search. */
export const RunFinders = extensionPoint<RunFinder>('run-views.RunFinders', { key: ({ name }) => name });

/** The filters of `GET {scoped}/runs`, by their names. */
export type RunQuery = Readonly<Record<string, string>>;

/** Checks filters that are kept for later. */
export interface RunFilterCheck {
  /** Throws what a list of runs throws for this filter: `invalid_request`, `run_search_off`. `at` is the pointer of the filter. */
  check(query: RunQuery, at: string): void;
}

export const RunFilterCheck = token<RunFilterCheck>('run-views.RunFilterCheck');

/** Filters that were saved under a name, for the parameter `view` of lists of runs. */
export interface SavedFilters {
  name: string;
  /** Returns the filter that the name stands for, for this reader. Throws `not_found`. */
  filterOf(scope: ProjectScope, reader: Principal | null | undefined, name: string): Promise<RunQuery>;
}

/** The first one answers. */
export const SavedFilters = extensionPoint<SavedFilters>('run-views.SavedFilters', { key: ({ name }) => name });
