import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { RunRecord } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { useLive } from '../api/live.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { OPEN, useSteps } from './steps.ts';

export const runPath = (scope: Scope, run_id: string): string => scoped(scope, `/runs/${encodeURIComponent(run_id)}`);

/** A run with its steps, as they are now. Without an id it reads nothing. */
export function useRun(scope: Scope, run_id: string | undefined) {
  const path = runPath(scope, run_id ?? '');
  const client = useQueryClient();
  const record = useQuery({
    queryKey: ['run', path],
    enabled: run_id !== undefined,
    queryFn: ({ signal }) => json<RunRecord>(path, { signal }),
  });
  const steps = useSteps(path, run_id === undefined ? undefined : record.data);
  useLive(scope, run_id === undefined ? '' : `run:${run_id}`, (kind, data) => {
    // What is told of a run has no output.
    if (kind === 'run' && OPEN.includes((data as RunRecord).status))
      client.setQueryData<RunRecord>(['run', path], (before) => before && { ...before, ...(data as RunRecord) });
    else if (kind === 'run' || kind === 'reset') void record.refetch();
    if (kind !== 'log') void steps.refetch();
  });
  return { record, steps, path };
}
