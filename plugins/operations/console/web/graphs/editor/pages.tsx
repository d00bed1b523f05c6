import { useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import type { GraphView } from '../../../../../../cli/generated/api.ts';
import { json } from '../../api/client.ts';
import { type Scope, scoped } from '../../api/paths.ts';
import { useMay } from '../../app/session.ts';
import { Empty, Loading, Name, Problem } from '../../kit/basics.tsx';
import { Page } from '../../kit/page.tsx';
import { shellQuote } from '../../kit/text.ts';
import { GraphCanvas } from '../canvas/canvas.tsx';
import { type GraphDocument, readDocument } from '../document.ts';
import { GraphEditor } from './editor.tsx';
import { EMPTY } from './model.ts';
import { graphPath } from './use-save.ts';

/**
 * A graph that a person starts, with one node of a type: a connector leads here by its first action, an account with its name
 * as the credential.
 */
function beginsWith(type: string | undefined, credential: string | undefined): GraphDocument {
  if (type === undefined) return EMPTY;
  const id = type.replace(/^.*\./, '').replace(/\W/g, '_');
  return {
    ...EMPTY,
    nodes: [
      { id: 'start', type: 'trigger.manual' },
      { id, type, ...(credential !== undefined && { config: { credential } }) },
    ],
    edges: [{ from: 'start', to: id }],
  };
}

/** A graph from an empty canvas, or from one node. */
export function NewGraph() {
  const scope = useParams({ from: '/orgs/$org/projects/$project/graphs/new' });
  const { node, credential } = useSearch({ from: '/orgs/$org/projects/$project/graphs/new' });
  const may = useMay(scope);
  const beginning = beginsWith(node, credential);
  const same = { command: 'svc graph save orders orders.json', call: `PUT ${scoped(scope, '/graphs/orders')}` };
  return (
    <Page title="New graph" bleed same={same}>
      {may('member') ? (
        <GraphEditor scope={scope} key={node} document={beginning} version={0} chosen={beginning.nodes[1]?.id} />
      ) : (
        <Empty>Your role can view graphs, but not create them.</Empty>
      )}
    </Page>
  );
}

/** A stored graph, to change it. */
export function EditGraph() {
  const { graph: name, ...scope } = useParams({ from: '/orgs/$org/projects/$project/graphs/$graph/edit' });
  const path = graphPath(scope, name);
  const read = useQuery({
    // Not the key of pages that follow a graph: what is being edited must not change under the hands.
    queryKey: ['graph to edit', path],
    queryFn: ({ signal }) => json<GraphView>(path, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const same = { command: `svc graph save ${shellQuote(name)} ${shellQuote(`${name}.json`)}`, call: `PUT ${path}` };
  return (
    <Page title={`Edit ${name}`} heading={<Name>{`Edit ${name}`}</Name>} bleed same={same}>
      {read.error && <Problem error={read.error} again={() => void read.refetch()} />}
      {read.isPending && <Loading />}
      {read.data && <Opened key={path} scope={scope} graph={read.data} />}
    </Page>
  );
}

function Opened({ scope, graph }: { scope: Scope; graph: GraphView }) {
  const may = useMay(scope);
  const document = drawn(graph.document);
  if (document instanceof Error) return <Problem error={document} />;
  if (may('member'))
    return <GraphEditor scope={scope} name={graph.name} document={document} version={graph.latest_version} />;
  return (
    <>
      <p className="quiet">Your role can view this graph, but not change it.</p>
      <GraphCanvas document={document} label={`Graph ${graph.name}`} />
    </>
  );
}

function drawn(document: unknown): GraphDocument | Error {
  try {
    return readDocument(document);
  } catch (error) {
    return error as Error;
  }
}
