import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { FunctionSquare } from 'lucide-react';
import { useState } from 'react';
import type { FunctionView } from '../../../../../cli/generated/api.ts';
import { readAllPages } from '../api/all-pages.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useMay } from '../app/session.ts';
import { Empty, Loading, Name, Problem, Status, StatusIcon, Tag } from '../kit/basics.tsx';
import { FilterBar } from '../kit/filter-bar.tsx';
import { hasWords } from '../kit/list-address.ts';
import { AGAIN_MS, listKey } from '../kit/paged.ts';
import { ShowMore } from '../kit/list.tsx';
import { Page } from '../kit/page.tsx';
import { Rows } from '../kit/rows.tsx';
import { visible } from '../kit/text.ts';
import { NewestRun } from '../runs/newest-run.tsx';
import { type FunctionItem, groupFunctions, servedState, waitingWords } from './group.ts';

const SHOWN = 50;
const FROM = '/orgs/$org/projects/$project/functions';

const STATES = [
  { value: 'served', label: 'Served', state: 'online' },
  { value: 'waiting', label: 'Runs waiting', state: 'waiting' },
  { value: 'unserved', label: 'No worker', state: 'skipped' },
];

/** The workflows that workers have registered, and who serves them. */
export function Functions() {
  const scope = useParams({ from: FROM });
  const { find = '', state } = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const path = scoped(scope, '/functions');
  const list = useQuery({
    queryKey: listKey(path),
    refetchInterval: AGAIN_MS,
    queryFn: ({ signal }) => readAllPages<FunctionView>(path, 'functions', { signal }),
  });
  const all = list.data && groupFunctions(list.data);
  const found = all?.filter(
    (one) => hasWords([one.name, ...one.workers], find) && (state === undefined || servedState(one) === state),
  );
  return (
    <Page title="Functions" bleed same={{ command: 'svc functions ls', call: `GET ${path}` }}>
      <FilterBar
        label="Search functions"
        hint="Name or worker"
        find={find}
        choices={[{ name: 'state', label: 'State', options: STATES }]}
        chosen={{ state }}
        onChange={(search) => void navigate({ search, replace: true })}
      />
      {list.error && <Problem error={list.error} again={() => void list.refetch()} />}
      {list.isPending && <Loading />}
      {all?.length === 0 && (
        <Empty icon={FunctionSquare} title="No functions yet">
          A function is a workflow in your own program. <code>svc worker orders.ts</code> serves the workflows in a
          file.
        </Empty>
      )}
      {all && all.length > 0 && found?.length === 0 && (
        <Empty icon={FunctionSquare} title="No function matches your search" />
      )}
      {found && found.length > 0 && <Found key={`${find} ${state}`} scope={scope} items={found} />}
    </Page>
  );
}

function Found({ scope, items }: { scope: Scope; items: readonly FunctionItem[] }) {
  const [shown, setShown] = useState(SHOWN);
  const may = useMay(scope);
  return (
    <>
      <Rows<FunctionItem>
        label="Functions"
        head="Function"
        items={items.slice(0, shown)}
        keyOf={({ name }) => name}
        mark={(item) => <StatusIcon of={MARKS[servedState(item)]} />}
        title={({ name }) => (
          <Link to="/orgs/$org/projects/$project/functions/$function" params={{ ...scope, function: name }}>
            <Name>{name}</Name>
          </Link>
        )}
        columns={[
          { ...{ name: 'Workers', look: 'second c-mid' }, cell: (item) => <Workers item={item} /> },
          { ...{ name: 'Waiting', look: 'c-mid' }, cell: (item) => <Waiting item={item} /> },
          { ...{ name: 'Last run', look: 'c-state' }, cell: ({ name }) => <Newest scope={scope} name={name} /> },
          { ...{ name: 'Versions', look: 'c-mid second c-wide' }, cell: (item) => <Versions item={item} /> },
          ...(may('member')
            ? [
                {
                  ...{ name: '-Run', look: 'c-end' },
                  cell: ({ name }: FunctionItem) => <Run scope={scope} name={name} />,
                },
              ]
            : []),
        ]}
        second={(item) => (item.waiting > 0 ? <Waiting item={item} /> : <Workers item={item} />)}
        aside={({ name }) => <Newest scope={scope} name={name} />}
      />
      {items.length > shown && <ShowMore onClick={() => setShown(shown + SHOWN)} />}
    </>
  );
}

export const MARKS = { served: 'online', waiting: 'waiting', unserved: 'skipped' } as const;

const Run = ({ scope, name }: { scope: Scope; name: string }) => (
  <Link
    to="/orgs/$org/projects/$project/new-run"
    params={scope}
    search={{ what: 'function', function: name }}
    aria-label={`Run ${visible(name)}`}
  >
    Run
  </Link>
);

function Workers({ item: { workers } }: { item: FunctionItem }) {
  const [first, ...others] = workers;
  if (first === undefined) return <span className="quiet">No worker</span>;
  return (
    <span className="clip" title={workers.map(visible).join(', ')}>
      {visible(first)}
      {others.length > 0 && ` and ${others.length} more`}
    </span>
  );
}

/** Those versions that runs wait for, each with how many. */
function Waiting({ item: { waiting, versions } }: { item: FunctionItem }) {
  if (waiting === 0) return <span className="quiet">None</span>;
  const unserved = versions.filter((one) => one.waiting > 0);
  const title = unserved.map((one) => `${waitingWords(one.waiting)} for ${visible(one.version)}`).join(', ');
  return (
    <span title={title}>
      <Status of="waiting">{waitingWords(waiting)}</Status>
    </span>
  );
}

const Versions = ({ item: { current, versions } }: { item: FunctionItem }) => (
  <span className="tags">
    <Tag>{current.version}</Tag>
    {versions.length > 1 && <span className="quiet">and {versions.length - 1} older</span>}
  </span>
);

/** Runs of a file may have the name of a function. */
const AMONG = 5;

const Newest = ({ scope, name }: { scope: Scope; name: string }) => (
  <NewestRun scope={scope} kind="function" workflow={name} among={AMONG} again_ms={AGAIN_MS} />
);
