import { extensionPoint } from '../../../kernel/contracts/index.ts';

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
}

/** The first one answers. Without any, lists refuse to search. */
export const RunFinders = extensionPoint<RunFinder>('run-views.RunFinders', { key: ({ name }) => name });
