import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { GraphEntry, ListRuns200, RunRecord } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { useLive } from '../api/live.ts';
import { useRefetch } from '../api/read-again.ts';
import { query, type Scope, scoped } from '../api/paths.ts';
import { readAllPages } from '../api/all-pages.ts';
import { useMay } from '../app/session.ts';
import { Empty, Loading, Name, Problem, Status, Tag, Time } from '../kit/basics.tsx';
import { Confirm } from '../kit/confirm.tsx';
import { Table } from '../kit/list.tsx';
import { AGAIN_MS, listKey } from '../kit/paged.ts';
import { Page } from '../kit/page.tsx';
import { visible } from '../kit/text.ts';
import { ImportGraph } from './import.tsx';
import { NewGraphLink } from './links.tsx';
import { By } from './who.tsx';

const SHOWN = 50;
const HERE = '/orgs/$org/projects/$project/graphs';

/** The stored graphs of a project, the newest first. */
export function Graphs() {
  const scope = useParams({ from: HERE });
  const { q = '' } = useSearch({ from: HERE });
  const navigate = useNavigate({ from: HERE });
  const may = useMay(scope);
  const path = scoped(scope, '/graphs');
  const list = useQuery({
    queryKey: listKey(path),
    refetchInterval: AGAIN_MS,
    queryFn: ({ signal }) => readAllPages<GraphEntry>(path, 'graphs', { signal }),
  });
  const found = list.data?.filter((graph) => fits(graph, q));
  return (
    <Page
      title="Graphs"
      actions={
        may('member') && (
          <>
            <ImportGraph scope={scope} />
            <NewGraphLink scope={scope} />
          </>
        )
      }
      same={{ command: 'svc graph ls', call: `GET ${path}` }}
    >
      <div className="filters">
        <input
          type="search"
          aria-label="Search graphs"
          placeholder="Search graphs"
          value={q}
          onChange={({ target }) => void navigate({ search: target.value ? { q: target.value } : {}, replace: true })}
        />
      </div>
      {list.error && <Problem error={list.error} again={() => void list.refetch()} />}
      {list.isPending && <Loading />}
      {found?.length === 0 && <Empty>{q ? 'No graph matches your search.' : 'No graph is stored here yet.'}</Empty>}
      {found && found.length > 0 && <Found key={q} scope={scope} graphs={found} />}
    </Page>
  );
}

const fits = ({ name, title = '', triggers = [] }: GraphEntry, words: string): boolean => {
  const text = [name, title, ...triggers].join(' ').toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
};

const lastRunKey = ({ org, project }: Scope, graph: string) => ['last-run', org, project, graph];

function Found({ scope, graphs }: { scope: Scope; graphs: readonly GraphEntry[] }) {
  const [shown, setShown] = useState(SHOWN);
  const client = useQueryClient();
  const refetch = useRefetch();
  useLive(scope, 'runs', (kind, data) => {
    if (kind === 'reset') void refetch(['last-run', scope.org, scope.project]);
    if (kind !== 'run') return;
    const run = data as RunRecord;
    client.setQueryData<RunRecord | null>(lastRunKey(scope, run.workflow), (before) =>
      run.kind === 'graph' && before !== undefined && (before === null || before.run_id <= run.run_id) ? run : before,
    );
  });
  return (
    <>
      <Table columns={['Graph', '-Version', 'Published', '-Saved', 'Last run', 'Actions']}>
        {graphs.slice(0, shown).map((graph) => (
          <Row key={graph.name} scope={scope} graph={graph} />
        ))}
      </Table>
      {graphs.length > shown && (
        <button type="button" onClick={() => setShown(shown + SHOWN)}>
          Show more
        </button>
      )}
    </>
  );
}

const Row = ({ scope, graph }: { scope: Scope; graph: GraphEntry }) => (
  <tr>
    <td>
      <Link to="/orgs/$org/projects/$project/graphs/$graph" params={{ ...scope, graph: graph.name }}>
        <Name>{graph.name}</Name>
      </Link>
      {graph.title && <div className="quiet">{visible(graph.title)}</div>}
    </td>
    <td className="wide">
      {graph.version_number}
      <div className="quiet">{graph.nodes === 1 ? '1 node' : `${graph.nodes} nodes`}</div>
    </td>
    <td>
      {graph.published_version === undefined ? (
        <span className="quiet">no</span>
      ) : (
        <>
          version {graph.published_version}
          <div>
            {graph.triggers?.map((type, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a graph may have several triggers of one type
              <Tag key={at}>{type.replace('trigger.', '')}</Tag>
            ))}
          </div>
        </>
      )}
    </td>
    <td className="wide">
      <Time at={graph.set_at} />
      <By id={graph.set_by} />
    </td>
    <td>
      <LastRun scope={scope} graph={graph.name} />
    </td>
    <td>
      <RemoveGraph scope={scope} name={graph.name} triggers={graph.triggers ?? []} />
    </td>
  </tr>
);

function LastRun({ scope, graph }: { scope: Scope; graph: string }) {
  const last = useQuery({
    queryKey: lastRunKey(scope, graph),
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const path = scoped(scope, `/runs${query({ workflow: graph, limit: 1 })}`);
      const { runs } = await json<ListRuns200>(path, { signal });
      return runs.find(({ kind }) => kind === 'graph') ?? null;
    },
  });
  if (last.error) return <span className="bad">cannot be read</span>;
  if (!last.data) return <span className="quiet">{last.isPending ? '…' : 'none'}</span>;
  return (
    <Link to="/orgs/$org/projects/$project/runs/$run" params={{ ...scope, run: last.data.run_id }}>
      <Status of={last.data.status} />
    </Link>
  );
}

interface RemoveProps {
  scope: Scope;
  name: string;
  /** Types of what its published version has registered. */
  triggers: readonly string[];
  onRemoved?(): void;
}

/** Hooks are an admin's, and so is a graph that has any. */
export function RemoveGraph({ scope, name, triggers, onRemoved }: RemoveProps) {
  const client = useQueryClient();
  const refetch = useRefetch();
  const may = useMay(scope);
  if (!may(triggers.includes('trigger.webhook') ? 'admin' : 'member')) return null;
  const path = scoped(scope, '/graphs');
  const remove = async () => {
    await json(`${path}/${encodeURIComponent(name)}`, { method: 'DELETE' });
    await refetch(listKey(path));
    // The list that is shown next must not begin with what it was.
    client.removeQueries({ queryKey: listKey(path), type: 'inactive' });
    onRemoved?.();
  };
  return (
    <Confirm label="Remove" title={`Remove the graph ${name}?`} verb="Remove graph" danger run={remove}>
      All of its versions are removed, and its triggers are unregistered: webhook addresses accept no more deliveries.
      Runs continue. <code>svc graph rm {name}</code> does the same.
    </Confirm>
  );
}
