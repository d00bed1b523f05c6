import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { HandlerView, ListRuns200, ShownEvent } from '../../../../../cli/generated/api.ts';
import { isSimilar, isSimilarPattern } from '../../../run-views/explain/similar-names.ts';
import { json } from '../api/client.ts';
import { query, type Scope, scoped } from '../api/paths.ts';
import { MOST, readAllPages } from '../api/all-pages.ts';
import { Name } from '../kit/basics.tsx';
import { AGAIN_MS } from '../kit/paged.ts';
import { Panel } from '../kit/page.tsx';
import { visible } from '../kit/text.ts';
import { ShortRun } from './links.tsx';

/** Who is for a type that is spelt nearly like that of the event; nothing is shown without any. */
export function NearMisses({ scope, event: { type } }: { scope: Scope; event: ShownEvent }) {
  const handlers = useQuery({
    queryKey: ['near-handlers', scope.org, scope.project],
    refetchInterval: AGAIN_MS,
    queryFn: ({ signal }) => readAllPages<HandlerView>(scoped(scope, '/handlers'), 'handlers', { signal }),
  });
  const waiting = useQuery({
    queryKey: ['near-waits', scope.org, scope.project],
    refetchInterval: AGAIN_MS,
    queryFn: ({ signal }) =>
      json<ListRuns200>(scoped(scope, `/runs${query({ status: 'waiting', limit: MOST })}`), { signal }),
  });
  const near = (handlers.data ?? []).filter(({ on }) => on.some((pattern) => isSimilarPattern(pattern, type)));
  const runs = (waiting.data?.runs ?? []).filter(
    ({ substate }) => substate?.kind === 'event' && isSimilar(substate.name, type),
  );
  const more = waiting.data?.next_cursor;
  if (near.length === 0 && runs.length === 0) return null;
  return (
    <Panel title="Similar types">
      <p className="quiet">
        These handlers and runs listen for types with similar names.
        {more && ` Only the newest ${MOST} waiting runs are compared.`}
      </p>
      <ul className="plain">
        {near.map(({ name, on }) => (
          <li key={name}>
            handler{' '}
            <Link to="/orgs/$org/projects/$project/handlers/$handler" params={{ ...scope, handler: name }}>
              <Name>{name}</Name>
            </Link>{' '}
            listens for {visible(on.join(', '))}
          </li>
        ))}
        {runs.map(({ run_id, workflow, substate }) => (
          <li key={run_id}>
            run <ShortRun scope={scope} run_id={run_id} /> of <Name>{workflow}</Name> waits for{' '}
            {visible(substate!.name)}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
