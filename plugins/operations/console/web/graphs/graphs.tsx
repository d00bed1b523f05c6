import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Trash2, Workflow } from 'lucide-react';
import { useState } from 'react';
import type { GraphEntry, RunRecord } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { useLive } from '../api/live.ts';
import { useRefetch } from '../api/read-again.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { readAllPages } from '../api/all-pages.ts';
import { useMay } from '../app/session.ts';
import { Empty, Loading, Name, Problem, Tag, Time } from '../kit/basics.tsx';
import { type Action, ActionMenu } from '../kit/action-menu.tsx';
import { Mark } from '../kit/avatar.tsx';
import { Asked, type QuestionProps } from '../kit/confirm.tsx';
import { FilterBar } from '../kit/filter-bar.tsx';
import { Rows } from '../kit/rows.tsx';
import { AGAIN_MS, listKey } from '../kit/paged.ts';
import { ShowMore } from '../kit/list.tsx';
import { Page } from '../kit/page.tsx';
import { visible } from '../kit/text.ts';
import { NewestRun, newestRunKey } from '../runs/newest-run.tsx';
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
      bleed
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
      <FilterBar
        label="Search graphs"
        hint="Name, title or trigger"
        find={q}
        onChange={({ find }) => void navigate({ search: find ? { q: find } : {}, replace: true })}
      />
      {list.error && <Problem error={list.error} again={() => void list.refetch()} />}
      {list.isPending && <Loading />}
      {found?.length === 0 &&
        (q ? (
          <Empty icon={Workflow} title="No graph matches your search" />
        ) : (
          <Empty icon={Workflow} title="No graphs yet">
            Draw one with New graph, or import a document.
          </Empty>
        ))}
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

function Found({ scope, graphs }: { scope: Scope; graphs: readonly GraphEntry[] }) {
  const [shown, setShown] = useState(SHOWN);
  const client = useQueryClient();
  const refetch = useRefetch();
  useLive(scope, 'runs', (kind, data) => {
    if (kind === 'reset') void refetch(['last-run', scope.org, scope.project]);
    if (kind !== 'run') return;
    const run = data as RunRecord;
    client.setQueryData<RunRecord | null>(newestRunKey(scope, 'graph', run.workflow), (before) =>
      run.kind === 'graph' && before !== undefined && (before === null || before.run_id <= run.run_id) ? run : before,
    );
  });
  return (
    <>
      <Rows<GraphEntry>
        label="Graphs"
        head="Graph"
        items={graphs.slice(0, shown)}
        keyOf={({ name }) => name}
        mark={() => <Mark icon={Workflow} />}
        title={({ name }) => (
          <Link to="/orgs/$org/projects/$project/graphs/$graph" params={{ ...scope, graph: name }}>
            <Name>{name}</Name>
          </Link>
        )}
        columns={[
          { ...{ name: 'Title', look: 'second c-wide' }, cell: ({ title = '' }) => visible(title) },
          { ...{ name: 'Triggers', look: 'c-mid' }, cell: (graph) => <Triggers graph={graph} /> },
          {
            ...{ name: 'Last run', look: 'c-state' },
            cell: ({ name }) => <NewestRun scope={scope} kind="graph" workflow={name} />,
          },
          {
            ...{ name: 'Version', look: 'c-short second c-roomy' },
            cell: ({ version_number, nodes }) => `${version_number} · ${nodes === 1 ? '1 node' : `${nodes} nodes`}`,
          },
          { ...{ name: 'Saved', look: 'c-mid second' }, cell: (graph) => <Saved graph={graph} /> },
        ]}
        second={(graph) => (
          <>
            <Triggers graph={graph} /> <Saved graph={graph} />
          </>
        )}
        aside={({ name }) => <NewestRun scope={scope} kind="graph" workflow={name} />}
        actions={({ name, triggers = [] }) => <RowActions scope={scope} name={name} triggers={triggers} />}
      />
      {graphs.length > shown && <ShowMore onClick={() => setShown(shown + SHOWN)} />}
    </>
  );
}

/** What starts the published version; a draft starts by hand only. */
function Triggers({ graph: { published_version, triggers = [] } }: { graph: GraphEntry }) {
  if (published_version === undefined) return <span className="quiet">Not published</span>;
  return (
    <span className="tags" title={`Version ${published_version} is published`}>
      {triggers.map((type, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a graph may have several triggers of one type
        <Tag key={at}>{type.replace('trigger.', '')}</Tag>
      ))}
    </span>
  );
}

const Saved = ({ graph: { set_at, set_by } }: { graph: GraphEntry }) => (
  <>
    <Time at={set_at} /> <By id={set_by} />
  </>
);

interface RemoveProps {
  scope: Scope;
  name: string;
  /** Types of what its published version has registered. */
  triggers: readonly string[];
  onRemoved?(): void;
}

/** What asks before a graph is removed; undefined for a reader who may not. Hooks are an admin's, and so is their graph. */
function useRemoval({ scope, name, triggers, onRemoved }: RemoveProps): QuestionProps | undefined {
  const client = useQueryClient();
  const refetch = useRefetch();
  const may = useMay(scope);
  if (!may(triggers.includes('trigger.webhook') ? 'admin' : 'member')) return undefined;
  const path = scoped(scope, '/graphs');
  const remove = async () => {
    await json(`${path}/${encodeURIComponent(name)}`, { method: 'DELETE' });
    await refetch(listKey(path));
    // The list that is shown next must not begin with what it was.
    client.removeQueries({ queryKey: listKey(path), type: 'inactive' });
    onRemoved?.();
  };
  return {
    title: `Remove the graph ${name}?`,
    verb: 'Remove graph',
    danger: true,
    run: remove,
    children: (
      <>
        All of its versions are removed, and its triggers are unregistered: webhook addresses accept no more deliveries.
        Runs continue. <code>svc graph rm {name}</code> does the same.
      </>
    ),
  };
}

/** The item of a menu that removes a graph; undefined for a reader who may not. */
export function useRemoveAction(props: RemoveProps): Action | undefined {
  const question = useRemoval(props);
  return (
    question && {
      icon: Trash2,
      label: 'Remove',
      danger: true,
      opens: (close) => <Asked {...question} close={close} />,
    }
  );
}

const RowActions = (props: RemoveProps) => (
  <ActionMenu label={`Actions for ${props.name}`} small actions={[useRemoveAction(props)]} />
);
