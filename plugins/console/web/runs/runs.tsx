import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { ListRuns200, RunRecord } from '../../../../cli/generated/api.ts';
import { useMay } from '../app/session.ts';
import { json } from '../api/client.ts';
import { useLive } from '../api/live.ts';
import { query, scoped } from '../api/paths.ts';
import { Empty, Loading, Problem } from '../kit/basics.tsx';
import { useUntilFound } from '../kit/paged.ts';
import { Page } from '../kit/page.tsx';
import { shellQuote } from '../kit/text.ts';
import { commandOf, patched, type RunFilters } from './filters.ts';
import { Filters } from './filters-form.tsx';
import { Selection } from './selection.tsx';
import { RunTable } from './table.tsx';

const PAGE = 50;

type Pages = InfiniteData<ListRuns200, string | undefined>;

export function Runs() {
  const scope = useParams({ from: '/orgs/$org/projects/$project/runs' });
  const filters = useSearch({ from: '/orgs/$org/projects/$project/runs' });
  const navigate = useNavigate({ from: '/orgs/$org/projects/$project/runs' });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const may = useMay(scope);
  const list = useRuns(scope, filters);
  const found = list.data?.pages.flatMap(({ runs }) => runs) ?? [];
  const path = scoped(scope, `/runs${query({ ...filters })}`);
  return (
    <Page title="Runs" same={{ command: commandOf(filters, shellQuote), call: `GET ${path}` }}>
      <Filters filters={filters} onChange={(next) => void navigate({ search: next, replace: true })} />
      {may('member') && (
        <Selection scope={scope} runs={found} selected={selected} filters={filters} onChange={setSelected} />
      )}
      {list.error && <Problem error={list.error} again={() => void list.refetch()} />}
      {list.isPending && <Loading />}
      {list.data && found.length === 0 && (list.hasNextPage ? <Loading /> : <NoRuns filters={filters} />)}
      {found.length > 0 && (
        <RunTable scope={scope} runs={found} selected={may('member') ? selected : undefined} onSelect={setSelected} />
      )}
      {list.hasNextPage && found.length > 0 && (
        <button type="button" disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          Show older runs
        </button>
      )}
    </Page>
  );
}

/** The list, kept as it is on the server. */
function useRuns(scope: { org: string; project: string }, filters: RunFilters) {
  const client = useQueryClient();
  const key = ['runs', scope.org, scope.project, filters] as const;
  const list = useInfiniteQuery({
    queryKey: key,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      json<ListRuns200>(scoped(scope, `/runs${query({ ...filters, limit: PAGE, cursor: pageParam })}`), { signal }),
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  });
  useUntilFound(list, list.data?.pages.every(({ runs }) => runs.length === 0) === true);
  useLive(scope, 'runs', (kind, data) => {
    if (kind === 'reset') void client.invalidateQueries({ queryKey: key });
    if (kind !== 'run') return;
    client.setQueryData<Pages>(key, (before) => before && withRun(before, data as RunRecord, filters));
  });
  return list;
}

function withRun({ pages, pageParams }: Pages, run: RunRecord, filters: RunFilters): Pages {
  const at = pages.findIndex(({ runs }) => runs.some(({ run_id }) => run_id === run.run_id));
  const page = Math.max(0, at);
  const runs = [...patched(pages[page]!.runs, run, filters)];
  return { pages: pages.with(page, { ...pages[page]!, runs }), pageParams };
}

function NoRuns({ filters }: { filters: RunFilters }) {
  if (Object.keys(filters).length > 0) return <Empty>No run fits these filters.</Empty>;
  return (
    <Empty>
      Nothing has run here yet. Begin with <code>svc submit &lt;file&gt;</code>.
    </Empty>
  );
}
