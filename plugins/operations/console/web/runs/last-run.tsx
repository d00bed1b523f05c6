import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { RunRecord } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { StatusIcon } from '../kit/basics.tsx';
import { AGAIN_MS } from '../kit/paged.ts';
import { OPEN } from '../run/steps.ts';

interface Props {
  scope: Scope;
  run_id: string;
  children: ReactNode;
}

/** A link to a run with its state, which is read again until the run has ended. */
export function LastRun({ scope, run_id, children }: Props) {
  const path = scoped(scope, `/runs/${encodeURIComponent(run_id)}`);
  const { data } = useQuery({
    queryKey: ['run-state', path],
    queryFn: ({ signal }) => json<RunRecord>(path, { signal }),
    // A run that has ended does not change any more.
    staleTime: ({ state }) => (state.data && !OPEN.includes(state.data.status) ? Number.POSITIVE_INFINITY : 0),
    refetchInterval: ({ state }) => (state.data && OPEN.includes(state.data.status) ? AGAIN_MS : false),
  });
  return (
    <Link
      className="with-icon"
      to="/orgs/$org/projects/$project/runs/$run"
      params={{ ...scope, run: run_id }}
      title={run_id}
    >
      {data && <StatusIcon of={data.status} />}
      {children}
    </Link>
  );
}
