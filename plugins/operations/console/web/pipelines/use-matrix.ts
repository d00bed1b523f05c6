import { keepPreviousData, useQueries } from '@tanstack/react-query';
import type { ListSteps200, NodeRecord, RunRecord } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { query, type Scope } from '../api/paths.ts';
import { isNode } from '../run/keys.ts';
import type { AnyStep } from '../run/steps.ts';
import { runPath } from '../run/use-run.ts';

/** Of so many jobs the cells are drawn; the others say how many there are. */
const MOST_JOBS = 20;
const CELLS = 200;

/** The cells of all jobs of a pipeline that have some, read again whenever one has changed. */
export function useMatrix(scope: Scope, run: RunRecord, steps: readonly AnyStep[]): NodeRecord[] {
  const path = `${runPath(scope, run.run_id)}/steps`;
  const jobs =
    run.kind === 'pipeline' ? steps.filter(isNode).filter(({ items, item }) => items && item === undefined) : [];
  return useQueries({
    queries: jobs.slice(0, MOST_JOBS).map(({ node, state, items }) => ({
      queryKey: ['matrix', path, node, state, items],
      placeholderData: keepPreviousData,
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        json<ListSteps200>(`${path}${query({ node, limit: CELLS })}`, { signal }),
    })),
    combine: (all) => all.flatMap(({ data }) => (data?.steps ?? []) as NodeRecord[]),
  });
}
