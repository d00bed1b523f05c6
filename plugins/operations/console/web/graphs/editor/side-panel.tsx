import { Maximize2, Minimize2, Play, X } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { NodeRecord } from '../../../../../../cli/generated/api.ts';
import type { Scope } from '../../api/paths.ts';
import { Tip } from '../../kit/tip.tsx';
import { visible } from '../../kit/text.ts';
import { iconOf } from '../canvas/icons.ts';
import { nodeName } from '../canvas/node-names.ts';
import { edgeKey, type GraphDocument, type GraphNode } from '../document.ts';
import type { ExpressionNames } from '../expressions/names.ts';
import { useExpressionNames } from '../expressions/use-names.ts';
import { InPane } from '../node/in-pane.tsx';
import { type Insertion, InsertionProvider, useInsertionOf } from '../node/insertion.ts';
import '../node/node.css';
import { OutPane } from '../node/out-pane.tsx';
import { type Pinned, usePins, withPins } from '../node/pins.ts';
import { type Trial, useTrial } from '../node/use-trial.ts';
import { EdgePanel } from './edges-of-node.tsx';
import type { Placed } from './findings.ts';
import type { FormPlace } from './form-context.ts';
import { GraphPanel } from './graph-panel.tsx';
import { isLoop, type LoopPath } from './loops.ts';
import { edgesOf, nodeOf } from './model.ts';
import { NodePanel } from './node-panel.tsx';
import { type Actions, NOTHING, type Selection } from './state.ts';
import type { NodeType } from './types.ts';
import { IconButton } from '../../kit/icon-button.tsx';

interface Props {
  /** The graph, or that of the loop that is open. */
  document: GraphDocument;
  path: LoopPath;
  openLoop(node: GraphNode): void;
  selection: Selection;
  actions: Actions;
  scope: Scope;
  /** Absent: it is not saved yet. */
  name?: string | undefined;
  types: ReadonlyMap<string, NodeType>;
  findings: readonly Placed[];
  /** A run of the draft, whose data is shown instead of that of the newest run. */
  run?: string | undefined;
  /** Of the run whose data is shown. */
  records: ReadonlyMap<string, NodeRecord>;
  /** When that run began. */
  at: string | undefined;
  open: boolean;
  setOpen(open: boolean): void;
}

/** The selection, or the graph when nothing is selected. A node can be opened, with the data before and after it. */
export function SidePanel(props: Props) {
  const { document, path, openLoop, selection, actions, scope, types, findings } = props;
  // No run has the nodes of a loop: each of its items is a run of its own.
  const inLoop = path.length > 0;
  const [name, run] = inLoop ? [undefined, undefined] : [props.name, props.run];
  const [id] = selection.nodes;
  const node = selection.nodes.size === 1 ? nodeOf(document, id!) : undefined;
  const [key] = selection.edges;
  const edge =
    selection.nodes.size === 0 && key !== undefined ? edgesOf(document).find((one) => edgeKey(one) === key) : undefined;
  const recorded = useExpressionNames(scope, { document, node: node?.id ?? '', graph: name, run });
  const pinned = usePins(scope, [props.name ?? '', ...path].join('/'));
  const names = useMemo<ExpressionNames>(
    () => ({
      ...recorded,
      sample: withPins(recorded.sample, pinned.pins, document),
      pinned: Object.keys(pinned.pins).length > 0,
    }),
    [recorded, pinned.pins, document],
  );
  const insertion = useInsertionOf(node?.id);
  const trial = useTrial(scope, node, names);
  const place = useMemo<FormPlace>(
    () => ({
      scope,
      names,
      types,
      type: node?.type ?? '',
      ...(node && isLoop(node) && { openLoop: () => openLoop(node) }),
      findings: findings.filter((one) => one.edge === undefined && one.node === node?.id),
    }),
    [scope, names, types, node, findings, openLoop],
  );
  const open = props.open && node !== undefined;
  return (
    <section
      id="graph-panel"
      className={open ? 'panel graph-panel open' : 'panel graph-panel'}
      aria-label="Selection"
      tabIndex={-1}
    >
      {node ? (
        <InsertionProvider value={insertion}>
          <OpenNode {...props} {...{ node, names, recorded, place, pinned, insertion, trial, open }} />
        </InsertionProvider>
      ) : edge ? (
        <EdgePanel document={document} edge={edge} actions={actions} />
      ) : selection.nodes.size > 1 ? (
        <p>{selection.nodes.size} nodes are selected.</p>
      ) : (
        <GraphPanel document={document} actions={actions} place={place} />
      )}
    </section>
  );
}

type Pane = 'in' | 'config' | 'out';
const PANES: readonly (readonly [Pane, string])[] = [
  ['in', 'In'],
  ['config', 'Configuration'],
  ['out', 'Out'],
];

interface OpenProps extends Props {
  node: GraphNode;
  names: ExpressionNames;
  recorded: ExpressionNames;
  place: FormPlace;
  pinned: Pinned;
  insertion: Insertion;
  trial: Trial;
}

function OpenNode(props: OpenProps) {
  const { document, path, node, actions, place, names, recorded, pinned, insertion, trial, open, setOpen, scope } =
    props;
  // Where three panes do not fit beside each other, one is shown.
  const [pane, setPane] = useState<Pane>('config');
  const type = place.types.get(node.type);
  const tried = () => {
    setOpen(true);
    setPane('out');
    trial.start();
  };
  return (
    <>
      <NodeHead
        {...{ node, type, open, canTry: path.length === 0, setOpen, trial, tried }}
        close={() => actions.select(NOTHING)}
      />
      {open && (
        // biome-ignore lint/a11y/useSemanticElements: buttons beside each other
        <div className="seg pane-choice" role="group" aria-label="Node pane">
          {PANES.map(([one, words]) => (
            <button key={one} type="button" aria-pressed={pane === one} onClick={() => setPane(one)}>
              {words}
            </button>
          ))}
        </div>
      )}
      <div className={open ? `node-panes shows-${pane}` : undefined}>
        {open && <InPane key={`in ${node.id}`} {...{ document, node, names, pinned, insertion }} at={props.at} />}
        <div key="config" className={open ? 'node-pane pane-config' : undefined}>
          {/* By its place: a node that gets another id keeps its fields, and the focus in them. */}
          <NodePanel
            key={document.nodes.indexOf(node)}
            document={document}
            node={node}
            actions={actions}
            place={place}
          />
        </div>
        {open && (
          <OutPane
            key={`out ${node.id}`}
            {...{ scope, node, pinned, trial }}
            names={recorded}
            record={props.records.get(node.id)}
          />
        )}
      </div>
    </>
  );
}

interface HeadProps {
  node: GraphNode;
  type: NodeType | undefined;
  canTry: boolean;
  open: boolean;
  setOpen(open: boolean): void;
  trial: Trial;
  tried(): void;
  close(): void;
}

function NodeHead({ node, type, canTry, open, setOpen, trial, tried, close }: HeadProps) {
  const Icon = iconOf(node.type);
  return (
    <div className="node-head">
      <span className={type?.trigger ? 'graph-icon trigger' : 'graph-icon'}>
        <Icon size={16} aria-hidden />
      </span>
      <div className="node-name">
        <h2>{visible(nodeName(node))}</h2>
        <p className="quiet">
          {type ? visible(type.title) : 'This server does not have this type.'} ·{' '}
          <span className="mono">{visible(node.type)}</span>
        </p>
      </div>
      {canTry && type && !type.trigger && (
        <button type="button" className="small" disabled={trial.busy} onClick={tried}>
          <Play size={14} aria-hidden /> {open ? 'Try this node' : 'Try'}
        </button>
      )}
      <Tip text={open ? 'Show the form only (O)' : 'Open with its data (O)'}>
        <IconButton
          label={open ? 'Show the form only' : 'Open with its data'}
          icon={open ? Minimize2 : Maximize2}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        />
      </Tip>
      {open && <IconButton label="Close the node" icon={X} onClick={close} />}
    </div>
  );
}
