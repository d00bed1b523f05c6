import { decodeCursor, encodeCursor, iso } from '../../../../kernel/contracts/index.ts';
import { maskRun, type Run, type RunFilter, type RunPage, type RunReader } from '../../../engine/runs/contract.ts';
import type { RunMasks } from '../../../security/masking/contract.ts';
import type { SearchState } from '../generated/search-state.ts';
import type { IndexState, RunFinder, RunTerms } from '../contract.ts';
import { runSearchOff } from '../errors.ts';

interface Scope {
  org_id: string;
  project_id: string;
}

export interface ListedRuns {
  runs: Run[];
  next_cursor: string | undefined;
  /** Present for a search in the index. */
  search: SearchState | undefined;
}

/** The parts of the index that one request reads. */
const MAX_WINDOWS = 4;

/** Pages of runs, with secret values masked. */
export class RunLists {
  readonly #reader: Pick<RunReader, 'list' | 'listed'>;
  readonly #masks: Pick<RunMasks, 'maskEach'>;
  readonly #finders: () => readonly RunFinder[];

  constructor(
    reader: Pick<RunReader, 'list' | 'listed'>,
    masks: Pick<RunMasks, 'maskEach'>,
    finders: () => readonly RunFinder[] = () => [],
  ) {
    this.#reader = reader;
    this.#masks = masks;
    this.#finders = finders;
  }

  async list({ org_id, project_id }: Scope, filter: RunFilter, terms?: RunTerms): Promise<ListedRuns> {
    const scope = { org_id, project_id };
    // Read before the runs: an index that was complete then has all of them.
    const finder = terms && this.#finder();
    const state = await finder?.state(scope);
    const { run_ids, next } =
      finder === undefined || terms === undefined
        ? await this.#reader.list(project_id, filter)
        : await this.#find(finder, scope, { filter, terms });
    const runs = await this.#reader.listed(scope, run_ids);
    // Read after the runs: values that they may show were stored before them.
    return {
      runs: await this.#masks.maskEach(scope, runs, (run, masker) => maskRun(run, masker)),
      next_cursor: next === undefined ? undefined : encodeCursor(next),
      search: state && renderState(state),
    };
  }

  /** All runs that match, page by page, from the newest to the oldest. */
  async *pages(scope: Scope, filter: RunFilter, terms?: RunTerms): AsyncGenerator<readonly Run[], void> {
    for (let before = filter.before; ; ) {
      const { runs, next_cursor } = await this.list(scope, { ...filter, before }, terms);
      yield runs;
      if (next_cursor === undefined) return;
      before = decodeCursor(next_cursor, 'id')?.[0];
    }
  }

  /** Throws `invalid_request` or `run_search_off` for terms that `list` would reject. */
  checkTerms(terms: RunTerms, at: string): void {
    this.#finder().check(terms, at);
  }

  #finder(): RunFinder {
    const [finder] = this.#finders();
    if (finder === undefined) throw runSearchOff('the filters output, error, step and account need an index of runs');
    return finder;
  }

  /** Reads windows of the index until the page is full. It may end before the oldest run, like every search. */
  async #find(
    finder: RunFinder,
    scope: Scope,
    { filter, terms }: { filter: RunFilter; terms: RunTerms },
  ): Promise<RunPage> {
    const run_ids: string[] = [];
    let before = filter.before;
    for (let left = MAX_WINDOWS; left > 0; left -= 1) {
      const found = await finder.find(scope, terms, before);
      const limit = filter.limit - run_ids.length;
      const page = await this.#reader.list(scope.project_id, { ...filter, before, limit, among: found.run_ids });
      run_ids.push(...page.run_ids);
      if (page.next !== undefined) return { run_ids, next: page.next };
      before = found.next;
      if (before === undefined || run_ids.length === filter.limit) break;
    }
    return { run_ids, next: before };
  }
}

const renderState = ({ complete, indexed_from, indexed_until }: IndexState): SearchState => ({
  complete,
  ...(indexed_from !== undefined && { indexed_from: iso(indexed_from) }),
  ...(indexed_until !== undefined && { indexed_until: iso(indexed_until) }),
});
