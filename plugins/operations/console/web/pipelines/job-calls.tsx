import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { ListSteps200, NodeRecord, RunRecord, StepRecord } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { readAgain } from '../api/read-again.ts';
import { query, type Scope } from '../api/paths.ts';
import { Problem } from '../kit/basics.tsx';
import { Journal, type JournalHandle } from '../run/journal.tsx';
import { runPath } from '../run/use-run.ts';

interface Props {
  scope: Scope;
  run: RunRecord;
  /** A job that runs a script, or one combination of it. */
  cell: NodeRecord;
}

const callsKey = (path: string, node: string) => ['job-calls', path, node];

/** What the script of a job has recorded; read again whenever the job has changed. */
export function JobCalls({ scope, run, cell }: Props) {
  const client = useQueryClient();
  const journal = useRef<JournalHandle>(null);
  const path = `${runPath(scope, run.run_id)}/steps`;
  const node = cell.item === undefined ? cell.node : `${cell.node}[${cell.item}]`;
  const list = useInfiniteQuery({
    queryKey: callsKey(path, node),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      json<ListSteps200>(`${path}${query({ node, calls: true, limit: 200, cursor: pageParam })}`, { signal }),
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  });
  const { hasNextPage, isFetching, fetchNextPage, refetch } = list;
  useEffect(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the job tells of its calls
  useEffect(() => void readAgain(client, callsKey(path, node)), [cell, client, path, node]);
  if (list.error) return <Problem error={list.error} again={() => void refetch()} />;
  const calls = (list.data?.pages.flatMap(({ steps }) => steps) ?? []) as StepRecord[];
  return calls.length === 0 ? null : <Journal ref={journal} scope={scope} run={run} steps={calls} />;
}
