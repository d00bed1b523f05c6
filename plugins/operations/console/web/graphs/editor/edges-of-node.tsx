import { useMemo, useState } from 'react';
import { visible } from '../../kit/text.ts';
import { nodeName } from '../canvas/node-names.ts';
import { edgeKey, edgeWords, type GraphDocument, type GraphEdge, type GraphNode } from '../document.ts';
import { casesOf } from './cases.ts';
import { connect, disconnect, edgesOf, nodeOf, setWhen, targetsOf } from './model.ts';
import { type Actions, edgesOnly, nodesOnly } from './state.ts';

interface Props {
  document: GraphDocument;
  node: GraphNode;
  actions: Actions;
}

/** What comes before and after a node, and a way to connect it without a mouse. */
export function EdgesOfNode({ document, node, actions }: Props) {
  const before = edgesOf(document).filter(({ to }) => to === node.id);
  const after = edgesOf(document).filter(({ from }) => from === node.id);
  return (
    <section aria-label="Edges">
      <h3>Edges</h3>
      <ul className="plain">
        {[...before, ...after].map((edge, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a document may have an edge twice
          <li key={`${edgeKey(edge)} ${at}`} className="row">
            <EdgeLine document={document} edge={edge} actions={actions} />
          </li>
        ))}
      </ul>
      <ConnectTo document={document} node={node} actions={actions} />
    </section>
  );
}

export function EdgeLine({ document, edge, actions }: { document: GraphDocument; edge: GraphEdge; actions: Actions }) {
  const source = nodeOf(document, edge.from);
  const words = visible(edgeWords(edge));
  return (
    <>
      <span className="mono">
        {visible(edge.from)} → {visible(edge.to)}
      </span>
      {source && <When source={source} edge={edge} words={words} actions={actions} />}
      <button
        type="button"
        className="small"
        aria-label={`Remove the edge ${words}`}
        onClick={() => actions.apply((now) => disconnect(now, new Set([edgeKey(edge)])))}
      >
        ✕
      </button>
    </>
  );
}

/** The case of the source in which the edge is taken. */
function When({
  source,
  edge,
  words,
  actions,
}: {
  source: GraphNode;
  edge: GraphEdge;
  words: string;
  actions: Actions;
}) {
  const cases = casesOf(source);
  if (cases.length === 0 && edge.when === undefined) return null;
  const known = edge.when === undefined || cases.includes(edge.when);
  const all = known ? cases : [...cases, edge.when!];
  const set = (text: string) => {
    const when = text === '' ? undefined : all.find((one) => JSON.stringify(one) === text);
    actions.apply((now) => ({
      document: setWhen(now, edgeKey(edge), when),
      select: nodesOnly(source.id),
    }));
  };
  return (
    <select
      aria-label={`Case of the edge ${words}`}
      value={edge.when === undefined ? '' : JSON.stringify(edge.when)}
      onChange={({ target }) => set(target.value)}
    >
      <option value="">in every case</option>
      {all.map((one) => (
        <option key={JSON.stringify(one)} value={JSON.stringify(one)}>
          when {visible(String(one))}
          {cases.includes(one) ? '' : ' (no such case)'}
        </option>
      ))}
    </select>
  );
}

function ConnectTo({ document, node, actions }: Props) {
  const [to, setTo] = useState('');
  const fit = useMemo(() => targetsOf(document, node.id), [document, node.id]);
  if (fit.length === 0) return <p className="quiet">There is no node to connect this one to.</p>;
  const chosen = fit.some(({ id }) => id === to) ? to : fit[0]!.id;
  return (
    <div className="row">
      <label>
        Connect to{' '}
        <select aria-label="Connect to" data-connect value={chosen} onChange={({ target }) => setTo(target.value)}>
          {fit.map((one) => (
            <option key={one.id} value={one.id}>
              {visible(nodeName(one) === one.id ? one.id : `${nodeName(one)} (${one.id})`)}
            </option>
          ))}
        </select>
      </label>
      <button type="button" onClick={() => actions.apply((now) => connect(now, node.id, chosen))}>
        Connect
      </button>
    </div>
  );
}

/** Of an edge that was chosen on the canvas. */
export function EdgePanel({ document, edge, actions }: { document: GraphDocument; edge: GraphEdge; actions: Actions }) {
  const go = (id: string) => (
    <button type="button" className="small" onClick={() => actions.select(nodesOnly(id))}>
      Show {visible(id)}
    </button>
  );
  return (
    <>
      <h2>Edge</h2>
      <p className="row">
        <EdgeLine
          document={document}
          edge={edge}
          actions={{
            ...actions,
            // The edge has another key then, and stays chosen.
            apply: (change, burst) =>
              actions.apply((now) => {
                const made = change(now);
                const after = 'select' in made ? made.document : made;
                const known = new Set(edgesOf(now).map(edgeKey));
                const other = edgesOf(after).find((one) => !known.has(edgeKey(one)));
                return { document: after, select: other ? edgesOnly(edgeKey(other)) : edgesOnly() };
              }, burst),
          }}
        />
      </p>
      <p className="row">
        {go(edge.from)} {go(edge.to)}
      </p>
    </>
  );
}
