import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ListRuns200, RunRecord } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { query, type Scope, scoped } from '../api/paths.ts';
import { Status } from '../kit/basics.tsx';

export const newestRunKey = ({ org, project }: Scope, kind: RunRecord['kind'], workflow: string) =>
  ['last-run', org, project, kind, workflow] as const;

interface Props {
  scope: Scope;
  kind: RunRecord['kind'];
  workflow: string;
  /** Runs of other kinds may have the same name, so the newest of this kind is looked for among so many. */
  among?: number;
  /** Reads it again after this time. Without it, live updates change it. */
  again_ms?: number;
}

/** The state of a workflow's newest run, as a link to it. */
export function NewestRun({ scope, kind, workflow, among = 1, again_ms }: Props) {
  const newest = useQuery({
    queryKey: newestRunKey(scope, kind, workflow),
    staleTime: again_ms === undefined ? Number.POSITIVE_INFINITY : 0,
    refetchInterval: again_ms ?? false,
    queryFn: async ({ signal }) => {
      const path = scoped(scope, `/runs${query({ workflow, limit: among })}`);
      const { runs } = await json<ListRuns200>(path, { signal });
      return runs.find((run) => run.kind === kind) ?? null;
    },
  });
  if (newest.error) return <span className="bad">could not be loaded</span>;
  if (!newest.data) return <span className="quiet">{newest.isPending ? '…' : 'none'}</span>;
  return (
    <Link to="/orgs/$org/projects/$project/runs/$run" params={{ ...scope, run: newest.data.run_id }}>
      <Status of={newest.data.status} />
    </Link>
  );
}
