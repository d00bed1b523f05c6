import { ReactFlowProvider, useReactFlow } from '@xyflow/react';
import { useBlocker } from '@tanstack/react-router';
import { useMemo, useRef, useState } from 'react';
import type { Scope } from '../../api/paths.ts';
import { visible } from '../../kit/text.ts';
import '../canvas/canvas.css';
import { AddAfter } from '../canvas/card.tsx';
import { fitInStudio } from '../canvas/fit.ts';
import { CARD } from '../canvas/layout.ts';
import type { GraphDocument, Point } from '../document.ts';
import { RunDraft } from '../run/run-draft.tsx';
import { AddNode } from './add-node.tsx';
import { download, KeysDialog, LeaveDialog, TextDialog } from './dialogs.tsx';
import './editor.css';
import { marksOf } from './findings.ts';
import { FindingsPanel } from './findings-panel.tsx';
import { useKeys } from './keys.ts';
import { addNode, layOut, nodeOf, withPlaces } from './model.ts';
import { useNodeTypes } from './node-types.ts';
import { beside, freePlace } from './place.ts';
import { SavingNotice } from './saving.tsx';
import { clipboardOf, removeChosen } from './selection.ts';
import { SidePanel } from './side-panel.tsx';
import { NOTHING, nodesOnly, useEditing } from './state.ts';
import { Surface } from './surface.tsx';
import { Toolbar } from './toolbar.tsx';
import { useCheck } from './use-check.ts';
import { useSave } from './use-save.ts';

interface Props {
  scope: Scope;
  /** Of the graph; absent for a new one. */
  name?: string;
  document: GraphDocument;
  /** The version that was opened; 0 for a new graph. */
  version: number;
}

/** Draws a graph and changes it. */
export const GraphEditor = (props: Props) => (
  <ReactFlowProvider>
    <Editor {...props} />
  </ReactFlowProvider>
);

type Flow = ReturnType<typeof useReactFlow>;
type Dialogs = 'text' | 'keys' | undefined;

function Editor({ scope, name: known, document: given, version }: Props) {
  const [opened] = useState(() => withPlaces(given));
  const { document, selection, actions, canUndo, canRedo } = useEditing(opened);
  const [name, setName] = useState(known ?? '');
  const [adding, setAdding] = useState(false);
  /** Where an edge was dropped on empty ground: the node that is chosen then comes there. */
  const [loose, setLoose] = useState<Point>();
  const [dialog, setDialog] = useState<Dialogs>();
  const [said, setSaid] = useState('');
  const types = useNodeTypes(scope);
  const checked = useCheck(scope, document);
  const { saved, saving, save } = useSave({ scope, known, opened, base: version });
  const marks = useMemo(() => marksOf(checked.findings), [checked.findings]);
  const dirty = document !== saved.document;
  const blocker = useBlocker({ shouldBlockFn: () => dirty, enableBeforeUnload: () => dirty, withResolver: true });
  const flow = useReactFlow();
  const frame = useRef<HTMLElement>(null);

  const readingOf = (type: string) => types.byName.get(type);
  const chosen = selection.nodes.size === 1 ? nodeOf(document, [...selection.nodes][0]!) : undefined;
  const store = (over = false) => {
    if (name === '') window.document.getElementById('graph-name')?.focus();
    else if (saving.state !== 'busy') void save(name, document, over);
  };
  const add = (type: string, at?: Point) => {
    const trigger = types.byName.get(type)?.trigger ?? false;
    const after = at || trigger ? undefined : chosen;
    const wanted = at ?? loose ?? (after?.position ? beside(after.position) : centreOf(frame.current, flow));
    const position = freePlace(document, wanted);
    actions.apply((now) => {
      const made = addNode(now, { type, position }, after?.id);
      return { document: made.document, select: nodesOnly(made.id) };
    });
    setAdding(false);
    setLoose(undefined);
    if (!at && !loose) show(flow, frame.current, position, after?.position);
    window.document.getElementById('graph-panel')?.focus();
  };
  const clipboard = clipboardOf(document, selection, actions, readingOf);
  const paste = (text: string) => setSaid(clipboard.paste(text) ?? '');
  useKeys({
    save: store,
    undo: actions.undo,
    redo: actions.redo,
    remove: () => removeChosen(selection, actions),
    duplicate: clipboard.duplicate,
    all: () => actions.select(nodesOnly(...document.nodes.map(({ id }) => id))),
    add: () => setAdding(true),
    none: () => (adding ? setAdding(false) : actions.select(NOTHING)),
    connect: () => frame.current?.querySelector<HTMLElement>('[data-connect]')?.focus(),
    help: () => setDialog('keys'),
    copied: clipboard.copied,
    paste,
  });
  const problems = checked.findings.filter(({ warning }) => !warning).length;
  const addAfter = (id: string) => {
    actions.select(nodesOnly(id));
    setAdding(true);
  };
  return (
    <section ref={frame} className="graph-editor studio" aria-label="Graph editor">
      <div className="graph-canvas">
        <AddAfter value={addAfter}>
          <Surface
            document={document}
            selection={selection}
            marks={marks}
            actions={actions}
            drop={add}
            onLoose={(from, at) => {
              actions.select(nodesOnly(from));
              setLoose(at);
              setAdding(true);
            }}
          />
        </AddAfter>
      </div>
      <div className="graph-float graph-title">
        {known === undefined && (
          <input
            id="graph-name"
            aria-label="Name of the graph"
            placeholder="Name of the graph"
            spellCheck={false}
            value={name}
            onChange={({ target }) => setName(target.value.trim())}
          />
        )}
        <span className="quiet">{dirty ? 'Not saved yet' : known === undefined ? '' : 'Nothing to save'}</span>
        <RunDraft scope={scope} document={document} name={name} />
        <button
          type="button"
          className="main"
          title="Ctrl S"
          disabled={saving.state === 'busy'}
          onClick={() => store()}
        >
          Save
        </button>
      </div>
      <div className="graph-said">
        <SavingNotice saving={saving} name={name} problems={problems} over={() => store(true)} />
        {said && (
          <p role="status" className="banner failed">
            {visible(said)}
          </p>
        )}
      </div>
      <Toolbar
        canUndo={canUndo}
        canRedo={canRedo}
        adding={adding}
        chosen={selection.nodes.size + selection.edges.size > 0}
        add={() => {
          setLoose(undefined);
          setAdding(!adding);
        }}
        undo={actions.undo}
        redo={actions.redo}
        arrange={() => {
          actions.apply(layOut);
          requestAnimationFrame(() => void flow.fitView(fitInStudio()));
        }}
        duplicate={clipboard.duplicate}
        remove={() => removeChosen(selection, actions)}
        text={() => setDialog('text')}
        file={() => download(name, document)}
        keys={() => setDialog('keys')}
      />
      {adding && (
        <AddNode
          types={types.data ?? []}
          add={({ type }) => add(type)}
          close={() => {
            setLoose(undefined);
            setAdding(false);
          }}
        />
      )}
      <SidePanel
        document={document}
        selection={selection}
        actions={actions}
        scope={scope}
        name={known}
        types={types.byName}
        findings={checked.findings}
      />
      <FindingsPanel document={document} checked={checked} actions={actions} />
      {dialog === 'keys' && <KeysDialog close={() => setDialog(undefined)} />}
      {dialog === 'text' && (
        <TextDialog
          document={document}
          take={(other) => actions.apply(() => ({ document: withPlaces(other), select: NOTHING }))}
          close={() => setDialog(undefined)}
        />
      )}
      {blocker.status === 'blocked' && <LeaveDialog stay={blocker.reset} leave={blocker.proceed} />}
    </section>
  );
}

/** Brings what was added into view, with what it comes after. */
function show(flow: Flow, frame: HTMLElement | null, ...[added, after]: [Point, Point?]): void {
  const box = frame?.querySelector('.react-flow')?.getBoundingClientRect();
  if (!box) return;
  const from = flow.flowToScreenPosition(added);
  const to = flow.flowToScreenPosition({ x: added.x + CARD.width, y: added.y + CARD.height });
  if (from.x > box.left && from.y > box.top && to.x < box.right && to.y < box.bottom) return;
  const [left, top] = [Math.min(added.x, after?.x ?? added.x), Math.min(added.y, after?.y ?? added.y)];
  const bounds = { x: left, y: top, width: added.x - left + CARD.width, height: added.y - top + CARD.height };
  void flow.fitBounds(bounds, { padding: 0.2 });
}

/** The middle of what is shown, as a place of a card. */
function centreOf(frame: HTMLElement | null, flow: Flow): Point {
  const box = frame?.querySelector('.react-flow')?.getBoundingClientRect();
  if (!box) return { x: 0, y: 0 };
  const { x, y } = flow.screenToFlowPosition({ x: box.x + box.width / 2, y: box.y + box.height / 2 });
  return { x: x - CARD.width / 2, y: y - CARD.height / 2 };
}
