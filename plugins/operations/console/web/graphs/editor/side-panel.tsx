import { useMemo } from 'react';
import type { Scope } from '../../api/paths.ts';
import { edgeKey, type GraphDocument } from '../document.ts';
import { useExpressionNames } from '../expressions/use-names.ts';
import { EdgePanel } from './edges-of-node.tsx';
import type { Placed } from './findings.ts';
import type { FormPlace } from './form-context.ts';
import { GraphPanel } from './graph-panel.tsx';
import { edgesOf, nodeOf } from './model.ts';
import { NodePanel } from './node-panel.tsx';
import type { Actions, Selection } from './state.ts';
import type { NodeType } from './types.ts';

interface Props {
  document: GraphDocument;
  selection: Selection;
  actions: Actions;
  scope: Scope;
  /** Absent: it is not saved yet. */
  name?: string | undefined;
  types: ReadonlyMap<string, NodeType>;
  findings: readonly Placed[];
}

/** The selection, or the graph when nothing is selected. */
export function SidePanel(props: Props) {
  const { document, selection, actions, scope, name, types, findings } = props;
  const [id] = selection.nodes;
  const node = selection.nodes.size === 1 ? nodeOf(document, id!) : undefined;
  const [key] = selection.edges;
  const edge =
    selection.nodes.size === 0 && key !== undefined ? edgesOf(document).find((one) => edgeKey(one) === key) : undefined;
  const names = useExpressionNames(scope, { document, node: node?.id ?? '', graph: name });
  const place = useMemo<FormPlace>(
    () => ({
      scope,
      names,
      types,
      type: node?.type ?? '',
      findings: findings.filter((one) => one.edge === undefined && one.node === node?.id),
    }),
    [scope, names, types, node, findings],
  );
  return (
    <section id="graph-panel" className="panel graph-panel" aria-label="Selection" tabIndex={-1}>
      {node ? (
        // By its place: a node that gets another id keeps its fields, and the focus in them.
        <NodePanel key={document.nodes.indexOf(node)} document={document} node={node} actions={actions} place={place} />
      ) : edge ? (
        <EdgePanel document={document} edge={edge} actions={actions} />
      ) : selection.nodes.size > 1 ? (
        <p>{selection.nodes.size} nodes are chosen.</p>
      ) : (
        <GraphPanel document={document} actions={actions} place={place} />
      )}
    </section>
  );
}
