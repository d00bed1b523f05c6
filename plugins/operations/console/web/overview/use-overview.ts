import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ListRuns200, RunRecord } from '../../../../../cli/generated/api.ts';
import { summaryPath, summaryQuery } from '../app/needs-attention.ts';
import { json } from '../api/client.ts';
import { useLive } from '../api/live.ts';
import { readAgain } from '../api/read-again.ts';
import { query, type Scope, scoped } from '../api/paths.ts';
import { useBatched } from '../kit/batched.ts';
import { LONGER, type WindowName } from './windows.ts';

/** The page is read again at most so often, however much happens. */
const AGAIN_MS = 2000;
/** Rates and times move on though nothing happens. */
const ANYHOW_MS = 30_000;
/** Runs that are looked at for times, errors and what is asked. */
export const LOOKED_AT = 200;

const RUNS_KEY = 'overview-runs';

/** Everything that Overview shows. */
export function useOverview(scope: Scope, window: WindowName) {
  const client = useQueryClient();
  const path = summaryPath(scope, window);
  const summary = useQuery({ ...summaryQuery(path), refetchInterval: ANYHOW_MS, placeholderData: keepPreviousData });
  const further = LONGER[window];
  const longer = useQuery({ ...summaryQuery(summaryPath(scope, further ?? window)), enabled: further !== undefined });
  const open = useRuns(scope, { status: 'queued,running,waiting' });
  const failed = useRuns(scope, { status: 'failed', since: window });
  const ended = useRuns(scope, { status: 'succeeded,failed,cancelled', since: window });
  const readAll = () => {
    for (const queryKey of [summaryQuery(path).queryKey, [RUNS_KEY]]) void readAgain(client, queryKey);
  };
  const again = useBatched(readAll, AGAIN_MS);
  const live = useLive(scope, 'runs,accounts', again);
  return {
    ...{ path, summary, live, longer: further === undefined ? undefined : longer.data },
    ...{ open: open.data?.runs, failed: real(failed.data?.runs), ended: real(ended.data?.runs) },
    error: summary.error ?? open.error ?? failed.error ?? ended.error,
    again: readAll,
  };
}

/** Without runs that only try a node or a draft; the summary does not count them either. */
const real = (runs: readonly RunRecord[] | undefined) => runs?.filter(({ tags }) => !tags.includes('trial'));

function useRuns(scope: Scope, filters: { status: string; since?: string }) {
  const path = scoped(scope, `/runs${query({ ...filters, limit: LOOKED_AT })}`);
  return useQuery({
    queryKey: [RUNS_KEY, path],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => json<ListRuns200>(path, { signal }),
  });
}
