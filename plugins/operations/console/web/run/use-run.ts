import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import type { RunRecord } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { useLive } from '../api/live.ts';
import { readAgain } from '../api/read-again.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { OPEN, stepsKey, useSteps } from './steps.ts';

export const runPath = (scope: Scope, run_id: string): string => scoped(scope, `/runs/${encodeURIComponent(run_id)}`);

/** Puts what is told of an open run into its record. An ended run is read, because what is told has no output. */
function isPatched(client: QueryClient, path: string, told: RunRecord): boolean {
  const queryKey = ['run', path];
  if (!OPEN.includes(told.status) || client.isFetching({ queryKey }) > 0) return false;
  client.setQueryData<RunRecord>(queryKey, (before) => before && { ...before, ...told });
  return true;
}

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
    if (kind === 'reset' || (kind === 'run' && !isPatched(client, path, data as RunRecord)))
      void readAgain(client, ['run', path]);
    if (kind !== 'log') void readAgain(client, stepsKey(path));
  });
  return { record, steps, path };
}
