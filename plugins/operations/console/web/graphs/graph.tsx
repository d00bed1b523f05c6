import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { GraphView, PublishedGraph } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { query, type Scope, scoped } from '../api/paths.ts';
import { useRefetch } from '../api/read-again.ts';
import { useMay } from '../app/session.ts';
import { ActionMenu } from '../kit/action-menu.tsx';
import { Loading, Name, Problem } from '../kit/basics.tsx';
import { AGAIN_MS, listKey } from '../kit/paged.ts';
import { Page } from '../kit/page.tsx';
import { Tabs } from '../kit/tabs.tsx';
import { CompareVersions } from './compare/compare.tsx';
import { Drawn } from './drawn.tsx';
import { type GraphDocument, readDocument } from './document.ts';
import { exportDocument } from './export.ts';
import './graphs.css';
import { useRemoveAction } from './graphs.tsx';
import { EditGraphLink } from './links.tsx';
import { PublishActions } from './publish.tsx';
import { PublishedSecrets } from './published.tsx';
import { LastRun } from './run/last-run.tsx';
import { RunNow } from './run/run-now.tsx';
import type { GraphSearch, Tab } from './search.ts';
import { Versions } from './versions.tsx';

const HERE = '/orgs/$org/projects/$project/graphs/$graph';

/** One graph: what it does, its versions, what they differ in, and how its newest run goes. */
export function Graph() {
  const { graph: name, ...scope } = useParams({ from: HERE });
  const search = useSearch({ from: HERE });
  const path = scoped(scope, `/graphs/${encodeURIComponent(name)}`);
  const read = useQuery({
    queryKey: ['graph', path, search.version],
    refetchInterval: AGAIN_MS,
    queryFn: ({ signal }) => json<GraphView>(`${path}${query({ version: search.version })}`, { signal }),
  });
  const [published, setPublished] = useState<PublishedGraph>();
  const graph = read.data;
  const at = search.version === undefined ? name : `${name}@${search.version}`;
  return (
    <Page
      title={name}
      heading={
        <>
          <Name>{name}</Name> {graph && <Version graph={graph} />}
        </>
      }
      actions={graph && <Actions scope={scope} graph={graph} path={path} onPublished={setPublished} />}
      same={{ command: `svc graph show ${at}`, call: `GET ${path}${query({ version: search.version })}` }}
    >
      <PublishedSecrets scope={scope} published={published} close={() => setPublished(undefined)} />
      {graph && <GraphTabs scope={scope} name={name} search={search} />}
      {read.error && <Problem error={read.error} again={() => void read.refetch()} />}
      {read.isPending && <Loading />}
      {graph && <Shown scope={scope} graph={graph} search={search} onPublished={setPublished} />}
    </Page>
  );
}

const Version = ({ graph: { version_number, latest_version, published_version } }: { graph: GraphView }) => (
  <span className="quiet graph-version">
    version {version_number}
    {version_number === latest_version ? '' : ` of ${latest_version}`}
    {published_version === version_number ? ', published' : ''}
  </span>
);

const NAMES: readonly (readonly [Tab | undefined, string])[] = [
  [undefined, 'Graph'],
  ['versions', 'Versions'],
  ['compare', 'Compare'],
  ['run', 'Newest run'],
];

const GraphTabs = ({ scope, name, search }: { scope: Scope; name: string; search: GraphSearch }) => (
  <Tabs label="About this graph">
    {NAMES.map(([tab, words]) => (
      <Link
        key={words}
        to={HERE}
        params={{ ...scope, graph: name }}
        search={tab ? { tab } : {}}
        activeProps={{}}
        className={tab === search.tab ? 'active' : ''}
        aria-current={tab === search.tab ? 'page' : undefined}
      >
        {words}
      </Link>
    ))}
  </Tabs>
);

interface ShownProps {
  scope: Scope;
  graph: GraphView;
  search: GraphSearch;
  onPublished(published: PublishedGraph): void;
}

function Shown({ scope, graph, search, onPublished }: ShownProps) {
  const { name } = graph;
  const navigate = useNavigate({ from: HERE });
  const document = useMemo(() => readable(graph.document), [graph.document]);
  if (search.tab === 'versions') return <Versions scope={scope} graph={graph} onPublished={onPublished} />;
  if (search.tab === 'compare') return <CompareVersions scope={scope} graph={graph} search={search} />;
  const choose = (node: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, node }), replace: true });
  if (search.tab === 'run') return <LastRun scope={scope} graph={name} selected={search.node} onSelect={choose} />;
  if (document instanceof Error) return <Problem error={document} />;
  return <Drawn scope={scope} graph={graph} document={document} selected={search.node} onSelect={choose} />;
}

const declaresInputs = (document: unknown): boolean =>
  typeof document === 'object' && document !== null && 'inputs' in document;

function readable(document: unknown): GraphDocument | Error {
  try {
    return readDocument(document);
  } catch (error) {
    return error as Error;
  }
}

interface ActionProps {
  scope: Scope;
  graph: GraphView;
  path: string;
  onPublished(published: PublishedGraph | undefined): void;
}

function Actions({ scope, graph, path, onPublished }: ActionProps) {
  const { name, version_number, latest_version, triggers = [] } = graph;
  const may = useMay(scope);
  const navigate = useNavigate();
  const client = useQueryClient();
  const refetch = useRefetch();
  const toList = () => {
    client.removeQueries({ queryKey: ['graph', path] });
    void refetch(listKey(scoped(scope, '/graphs')));
    void navigate({ to: '/orgs/$org/projects/$project/graphs', params: scope, search: {} });
  };
  const remove = useRemoveAction({ scope, name, triggers: triggers.map(({ type }) => type), onRemoved: toList });
  const version = version_number === latest_version ? undefined : version_number;
  return (
    <>
      {may('member') && (
        <>
          <RunNow scope={scope} of={{ graph: name, version, declares: declaresInputs(graph.document) }} main />
          <EditGraphLink scope={scope} graph={name} />
          <PublishActions scope={scope} graph={graph} onPublished={onPublished} />
        </>
      )}
      <ActionMenu
        label={`Actions for ${name}`}
        actions={[
          { icon: Download, label: 'Export as a file', run: () => exportDocument(name, graph.document) },
          remove,
        ]}
      />
    </>
  );
}
