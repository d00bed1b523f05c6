import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { CirclePlay, Download } from 'lucide-react';
import { useState } from 'react';
import type { ListRuns200, RunRecord } from '../../../../../cli/generated/api.ts';
import { useMay } from '../app/session.ts';
import { json } from '../api/client.ts';
import { useLive } from '../api/live.ts';
import { readAgain } from '../api/read-again.ts';
import { query, scoped } from '../api/paths.ts';
import { Empty, Loading, Problem } from '../kit/basics.tsx';
import { useBatched } from '../kit/batched.ts';
import { LiveMark } from '../kit/live-mark.tsx';
import { useUntilFound } from '../kit/paged.ts';
import { ShowMore } from '../kit/list.tsx';
import { Page } from '../kit/page.tsx';
import { usePhone } from '../kit/phone.ts';
import { shellQuote } from '../kit/text.ts';
import { NewRunLink } from '../new-run/link.tsx';
import { ColumnMenu, useColumns } from './columns.tsx';
import { commandOf, type RunFilters, updateRun } from './filters.ts';
import { Filters } from './filters-form.tsx';
import { Selection } from './selection.tsx';
import { RunTable } from './table.tsx';
import { ViewTabs } from './view-tabs.tsx';
import { effectiveFilters, useViews } from './views.ts';

const PAGE = 50;
/** The list is read again at most once in this time, no matter how many runs change. */
const AGAIN_MS = 1000;
const FROM = '/orgs/$org/projects/$project/runs';

type Pages = InfiniteData<ListRuns200, string | undefined>;

export function Runs() {
  const scope = useParams({ from: FROM });
  const filters = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const phone = usePhone();
  const [find, setFind] = useState('');
  const columns = useColumns();
  const may = useMay(scope);
  const stored = useViews(scope);
  const effective = effectiveFilters(filters, stored.views);
  const { list, live } = useRuns(scope, filters, effective, filters.view === undefined || !stored.isPending);
  const found = list.data?.pages.flatMap(({ runs }) => runs) ?? [];
  const shown = found.filter((run) => isFound(run, find));
  const path = scoped(scope, `/runs${query({ ...filters })}`);
  return (
    <Page
      title="Runs"
      bleed
      about={
        <>
          {list.data && `${shown.length.toLocaleString('en')}${list.hasNextPage ? '+' : ''}`}
          <LiveMark state={live} />
        </>
      }
      actions={may('member') && <NewRunLink scope={scope} />}
      same={{ command: commandOf(filters, shellQuote), call: `GET ${path}` }}
    >
      <ViewTabs scope={scope} filters={filters} effective={effective} stored={stored} />
      <Filters
        // A changed filter belongs to no view, so the address then has all filters itself.
        filters={effective ?? {}}
        onChange={(next) => void navigate({ search: next, replace: true })}
        find={find}
        onFind={setFind}
      >
        {!phone && (
          <a
            className="button ghost small"
            href={scoped(scope, `/run-export${query({ ...filters, format: 'csv' })}`)}
            download
          >
            <Download size={14} aria-hidden /> CSV
          </a>
        )}
        {!phone && <ColumnMenu {...columns} />}
      </Filters>
      {list.error && <Problem error={list.error} again={() => void list.refetch()} />}
      {list.isPending && <Loading />}
      {list.data &&
        shown.length === 0 &&
        (list.hasNextPage && find === '' ? (
          <Loading />
        ) : (
          <NoRuns filtered={find !== '' || Object.keys(filters).length > 0} />
        ))}
      {shown.length > 0 && (
        <RunTable
          scope={scope}
          runs={shown}
          columns={columns.shown}
          selected={may('member') ? selected : undefined}
          onSelect={setSelected}
        />
      )}
      {list.hasNextPage && found.length > 0 && (
        <ShowMore disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          Show older runs
        </ShowMore>
      )}
      {shown.length > 0 && <Hints />}
      {may('member') && (
        <Selection
          scope={scope}
          runs={found}
          selected={selected}
          filters={effective ?? filters}
          onChange={setSelected}
        />
      )}
    </Page>
  );
}

/** True if the name, ID, tags, subject or error of a run contains the text. */
function isFound({ workflow, run_id, tags, subject = '', error }: RunRecord, find: string): boolean {
  const wanted = find.trim().toLowerCase();
  if (wanted === '') return true;
  return [workflow, run_id, subject, error?.message ?? '', ...tags].some((text) => text.toLowerCase().includes(wanted));
}

const Hints = () => (
  <div className="hints" aria-hidden>
    <span>
      <kbd>J</kbd>
      <kbd>K</kbd> move
    </span>
    <span>
      <kbd>↵</kbd> open
    </span>
    <span>
      <kbd>X</kbd> select
    </span>
    <span>
      <kbd>→</kbd> show children
    </span>
    <span>
      <kbd>F</kbd> filter
    </span>
    <span>
      <kbd>?</kbd> all shortcuts
    </span>
  </div>
);

/**
 * Reads the list, and updates it when runs change on the server. The key has the filters that apply, so the list is read again
 * when its view is replaced.
 */
function useRuns(
  scope: { org: string; project: string },
  filters: RunFilters,
  effective: RunFilters | undefined,
  enabled: boolean,
) {
  const client = useQueryClient();
  const key = ['runs', scope.org, scope.project, filters, effective] as const;
  const list = useInfiniteQuery({
    queryKey: key,
    enabled,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      json<ListRuns200>(scoped(scope, `/runs${query({ ...filters, limit: PAGE, cursor: pageParam })}`), { signal }),
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  });
  useUntilFound(list, list.data?.pages.every(({ runs }) => runs.length === 0) === true);
  const again = useBatched(() => void readAgain(client, key), AGAIN_MS);
  const live = useLive(scope, 'runs', (kind, data) => {
    // A request in progress may have begun before the change. Its response would overwrite the update below, so read once more.
    if (kind === 'reset' || effective === undefined || client.isFetching({ queryKey: key }) > 0) again();
    if (kind !== 'run' || effective === undefined) return;
    client.setQueryData<Pages>(key, (before) => before && withRun(before, data as RunRecord, effective));
  });
  return { list, live };
}

function withRun({ pages, pageParams }: Pages, run: RunRecord, filters: RunFilters): Pages {
  const at = pages.findIndex(({ runs }) => runs.some(({ run_id }) => run_id === run.run_id));
  const page = Math.max(0, at);
  const runs = [...updateRun(pages[page]!.runs, run, filters)];
  return { pages: pages.with(page, { ...pages[page]!, runs }), pageParams };
}

function NoRuns({ filtered }: { filtered: boolean }) {
  if (filtered) return <Empty title="No run matches these filters" />;
  return (
    <Empty icon={CirclePlay} title="Nothing has run here yet">
      Start with <code>svc submit &lt;file&gt;</code>, or with New run.
    </Empty>
  );
}
