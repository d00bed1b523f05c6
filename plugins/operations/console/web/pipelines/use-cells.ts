import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ListSteps200, NodeRecord, RunRecord } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { readAgain } from '../api/read-again.ts';
import { query, type Scope } from '../api/paths.ts';
import { runPath } from '../run/use-run.ts';

interface Wanted {
  scope: Scope;
  run: RunRecord;
  job: string;
  node: NodeRecord | undefined;
}

const cellsKey = (path: string, job: string) => ['cells', path, job];

/** The combinations of a job with their outputs, or the job itself; read again whenever the job has changed. */
export function useCells({ scope, run, job, node }: Wanted): { cells: NodeRecord[]; error: Error | null } {
  const client = useQueryClient();
  const path = `${runPath(scope, run.run_id)}/steps`;
  const begun = node !== undefined && node.items !== undefined;
  const list = useInfiniteQuery({
    queryKey: cellsKey(path, job),
    enabled: begun,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      json<ListSteps200>(`${path}${query({ node: job, output: true, limit: 200, cursor: pageParam })}`, { signal }),
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  });
  const { hasNextPage, isFetching, fetchNextPage } = list;
  // A matrix has at most a thousand of them: five pages.
  useEffect(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the node tells of its items
  useEffect(() => {
    if (begun) void readAgain(client, cellsKey(path, job));
  }, [begun, node, client, path, job]);
  return { cells: (list.data?.pages.flatMap(({ steps }) => steps) ?? []) as NodeRecord[], error: list.error };
}
