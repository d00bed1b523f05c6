import { ReactFlowProvider, useReactFlow } from '@xyflow/react';
import { useBlocker, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { NodeRecord } from '../../../../../../cli/generated/api.ts';
import type { Scope } from '../../api/paths.ts';
import { visible } from '../../kit/text.ts';
import { isNode } from '../../run/keys.ts';
import { useRun } from '../../run/use-run.ts';
import '../canvas/canvas.css';
import { AddAfter, OpenLoop } from '../canvas/card.tsx';
import { AddBetween } from '../canvas/edge.tsx';
import { edgeIds } from '../canvas/elements.ts';
import { fitInStudio } from '../canvas/fit.ts';
import { CARD } from '../canvas/layout.ts';
import type { Mark } from '../canvas/marks.ts';
import { edgeKey, type GraphDocument, type GraphNode, type Point } from '../document.ts';
import { useNewestRun, useRunInput } from '../expressions/use-names.ts';
import { pinnedInput, pinOf, usePins } from '../node/pins.ts';
import { edgeStatesOf, recordsOf } from '../run/edge-marks.ts';
import { marksOf as nodeStatesOf } from '../run/marks.ts';
import { RunDraft } from '../run/run-draft.tsx';
import { AddNode } from './add-node.tsx';
import { Crumbs } from './crumbs.tsx';
import { download, KeysDialog, LeaveDialog, TextDialog } from './dialogs.tsx';
import './editor.css';
import { marksOf, seenFrom } from './findings.ts';
import { FindingsPanel } from './findings-panel.tsx';
import { useKeys } from './keys.ts';
import { bodyOf, isLoop, type LoopPath } from './loops.ts';
import { addNode, insertBetween, layOut, nodeOf, withPlaces } from './model.ts';
import { useNodeTypes } from './node-types.ts';
import { beside, freePlace } from './place.ts';
import { SavingNotice } from './saving.tsx';
import { clipboardOf, removeChosen } from './selection.ts';
import { SidePanel } from './side-panel.tsx';
import { edgesOnly, NOTHING, nodesOnly, type Selection, useEditing } from './state.ts';
import { Starter } from './starter.tsx';
import { Surface } from './surface.tsx';
import { Toolbar } from './toolbar.tsx';
import type { NodeType } from './types.ts';
import { useCheck } from './use-check.ts';
import { useSave } from './use-save.ts';

interface Props {
  scope: Scope;
  /** Of the graph; absent for a new one. */
  name?: string;
  document: GraphDocument;
  /** The version that was opened; 0 for a new graph. */
  version: number;
  /** Id of the node that is selected at first. */
  chosen?: string | undefined;
}

/** Draws a graph and changes it. */
export const GraphEditor = (props: Props) => (
  <ReactFlowProvider>
    <Editor {...props} />
  </ReactFlowProvider>
);

/** The run of the draft that the canvas shows is in the address, so that a reload finds it again. */
function useRunInAddress() {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const run = 'run' in search ? search.run : undefined;
  const show = (next: string | undefined) =>
    void navigate({
      to: '.',
      search: (before) => ({ ...before, run: next }),
      replace: true,
    });
  return { run, show };
}

type Flow = ReturnType<typeof useReactFlow>;
/** The same objects over all drawings. */
const NO_MARKS: ReadonlyMap<string, Mark> = new Map();
const NO_RECORDS: ReadonlyMap<string, NodeRecord> = new Map();

type Dialogs = 'text' | 'keys' | undefined;

function Editor({ scope, name: known, document: given, version, chosen: first }: Props) {
  const [opened] = useState(() => withPlaces(given));
  const { document, level, path, selection, actions, canUndo, canRedo } = useEditing(opened, first);
  const [name, setName] = useState(known ?? '');
  const [adding, setAdding] = useState(false);
  /** Where an edge was dropped on empty ground: the node that is chosen then comes there. */
  const [loose, setLoose] = useState<Point>();
  /** By its key: the node that is chosen then comes into this edge. */
  const [into, setInto] = useState<string>();
  /** The chosen node stands with its data. */
  const [open, setOpen] = useState(false);
  /** A run of the draft, whose data fields and panes show. */
  const draft = useRunInAddress();
  const [run, setRun] = useState(draft.run);
  /** The canvas shows how it goes. */
  const drawn = draft.run !== undefined;
  const [dialog, setDialog] = useState<Dialogs>();
  const [said, setSaid] = useState('');
  const types = useNodeTypes(scope);
  const checked = useCheck(scope, document);
  const { saved, saving, save } = useSave({ scope, known, opened, base: version });
  const newest = useNewestRun(scope, run === undefined ? known : undefined);
  const shown = run ?? newest.run_id;
  const followed = useRun(scope, shown);
  const records = useMemo(() => recordsOf((followed.steps.data?.steps ?? []).filter(isNode)), [followed.steps.data]);
  // The nodes of a loop are those of other runs, one for each item.
  const marked = drawn && path.length === 0;
  const nodeStates = useMemo(() => (marked ? nodeStatesOf([...records.values()]) : NO_MARKS), [marked, records]);
  const edgeMarks = useMemo(() => (marked ? edgeStatesOf(document, records) : NO_MARKS), [marked, document, records]);
  const findings = useMemo(() => seenFrom(checked.findings, path), [checked.findings, path]);
  // What is wrong with a node says more than how it went.
  const marks = useMemo(() => new Map([...nodeStates, ...marksOf(findings)]), [nodeStates, findings]);
  const { pins, pin } = usePins(scope, known);
  const lastInput = useRunInput(scope, shown);
  const input = pinnedInput(pins, document) ?? lastInput;
  const dirty = document !== saved.document;
  const blocker = useBlocker({
    // Another run in the address leaves the editor as it is.
    shouldBlockFn: ({ current, next }) => dirty && current.pathname !== next.pathname,
    enableBeforeUnload: () => dirty,
    withResolver: true,
  });
  const flow = useReactFlow();
  const frame = useRef<HTMLElement>(null);

  const readingOf = (type: string) => types.byName.get(type);
  const chosen = selection.nodes.size === 1 ? nodeOf(level, [...selection.nodes][0]!) : undefined;
  const store = (over = false) => {
    if (name === '') window.document.getElementById('graph-name')?.focus();
    else if (saving.state !== 'busy') void save(name, document, over);
  };
  const done = () => {
    setAdding(false);
    setLoose(undefined);
    setInto(undefined);
  };
  const add = (type: string, at?: Point) => {
    const trigger = types.byName.get(type)?.trigger ?? false;
    const after = at || trigger ? undefined : chosen;
    const wanted = at ?? loose ?? (after?.position ? beside(after.position) : centreOf(frame.current, flow));
    const position = freePlace(level, wanted);
    actions.apply((now) => {
      const made =
        into !== undefined && !at
          ? insertBetween(now, into, { type, position })
          : addNode(now, { type, position }, after?.id);
      return { document: made.document, select: nodesOnly(made.id) };
    });
    done();
    if (!at && !loose && into === undefined) show(flow, frame.current, position, after?.position);
    window.document.getElementById('graph-panel')?.focus();
  };
  const go = (to: LoopPath, select?: Selection) => {
    done();
    setOpen(false);
    actions.go(to, select);
    window.document.getElementById('graph-panel')?.focus();
  };
  const openLoop = (node: GraphNode) => {
    if (isLoop(node) && !(bodyOf(node) instanceof Error)) go([...path, node.id]);
  };
  /** So many loops stay open. */
  const leave = (depth: number) => go(path.slice(0, depth), nodesOnly(path[depth]!));
  const clipboard = clipboardOf(level, selection, actions, readingOf);
  const paste = (text: string) => setSaid(clipboard.paste(text) ?? '');
  useKeys({
    save: store,
    undo: actions.undo,
    redo: actions.redo,
    remove: () => removeChosen(selection, actions),
    duplicate: clipboard.duplicate,
    all: () => actions.select(nodesOnly(...level.nodes.map(({ id }) => id))),
    add: () => {
      const [edge] = selection.edges;
      if (selection.nodes.size === 0 && edge !== undefined) setInto(edge);
      setAdding(true);
    },
    open: () => chosen && setOpen(!open),
    loop: () => chosen && openLoop(chosen),
    none: () => {
      if (adding) done();
      else if (open && chosen) setOpen(false);
      else if (path.length > 0 && selection.nodes.size + selection.edges.size === 0) leave(path.length - 1);
      else actions.select(NOTHING);
    },
    connect: () => frame.current?.querySelector<HTMLElement>('[data-connect]')?.focus(),
    help: () => setDialog('keys'),
    copied: clipboard.copied,
    paste,
  });
  // Whoever goes from node to node finds each one open; whoever chooses nothing is done with it.
  const none = chosen === undefined;
  useEffect(() => {
    if (none) setOpen(false);
  }, [none]);
  const where = path.join('/');
  const fittedPath = useRef(where);
  useEffect(() => {
    if (fittedPath.current === where) return;
    fittedPath.current = where;
    requestAnimationFrame(() => void flow.fitView(fitInStudio(level)));
  }, [flow, where, level]);
  const at = open ? chosen?.position : undefined;
  useEffect(() => {
    if (at) uncover(flow, frame.current, at);
  }, [flow, at]);
  const problems = checked.findings.filter(({ warning }) => !warning).length;
  const addAfter = (id: string) => {
    actions.select(nodesOnly(id));
    setAdding(true);
  };
  const addBetween = (id: string) => {
    const edge = edgeIds(level).find(([one]) => one === id)?.[1];
    if (!edge) return;
    actions.select(edgesOnly(edgeKey(edge)));
    setInto(edgeKey(edge));
    setAdding(true);
  };
  return (
    <section ref={frame} className="graph-editor studio" aria-label="Graph editor">
      <div className="graph-canvas">
        <AddAfter value={addAfter}>
          <AddBetween value={addBetween}>
            <OpenLoop value={openLoop}>
              <Surface
                document={level}
                selection={selection}
                marks={marks}
                edgeMarks={edgeMarks}
                actions={actions}
                drop={add}
                onLoose={(from, at) => {
                  actions.select(nodesOnly(from));
                  setLoose(at);
                  setAdding(true);
                }}
                onOpen={() => setOpen(true)}
              />
            </OpenLoop>
          </AddBetween>
        </AddAfter>
      </div>
      <div className="graph-float graph-title">
        {path.length > 0 && <Crumbs document={document} path={path} leave={leave} />}
        {known === undefined && (
          <input
            id="graph-name"
            aria-label="Graph name"
            placeholder="Graph name"
            spellCheck={false}
            value={name}
            onChange={({ target }) => setName(target.value.trim())}
          />
        )}
        <span className="quiet">{dirty ? 'Not saved yet' : known === undefined ? '' : 'Nothing to save'}</span>
        <RunDraft
          {...{ scope, document, name, input }}
          run={drawn ? run : undefined}
          record={drawn ? followed.record.data : undefined}
          records={drawn ? records : NO_RECORDS}
          begun={(run_id) => {
            setRun(run_id);
            draft.show(run_id);
          }}
          hide={() => draft.show(undefined)}
        />
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
          done();
          setAdding(!adding);
        }}
        undo={actions.undo}
        redo={actions.redo}
        arrange={() => {
          actions.apply(layOut);
          requestAnimationFrame(() => void flow.fitView(fitInStudio(layOut(level))));
        }}
        duplicate={clipboard.duplicate}
        remove={() => removeChosen(selection, actions)}
        text={() => setDialog('text')}
        file={() => download(name, document)}
        keys={() => setDialog('keys')}
      />
      {document.nodes.length === 0 && path.length === 0 && !adding && (
        <Starter
          add={add}
          use={({ document: made, sample }) => {
            actions.apply((now) => layOut({ ...now, ...made }));
            pin(pinOf(sample.node), sample.output);
            requestAnimationFrame(() => void flow.fitView(fitInStudio(layOut({ ...level, ...made }))));
            window.document.getElementById('graph-name')?.focus();
          }}
        />
      )}
      {adding && <AddNode types={offered(types.data ?? [], path)} add={({ type }) => add(type)} close={done} />}
      <SidePanel
        document={level}
        path={path}
        openLoop={openLoop}
        selection={selection}
        actions={actions}
        scope={scope}
        name={known}
        types={types.byName}
        findings={findings}
        run={shown}
        records={path.length === 0 ? records : NO_RECORDS}
        at={followed.record.data?.created_at}
        open={open}
        setOpen={setOpen}
      />
      <FindingsPanel document={document} checked={checked} actions={actions} />
      {dialog === 'keys' && <KeysDialog close={() => setDialog(undefined)} />}
      {dialog === 'text' && (
        <TextDialog
          document={document}
          take={(other) => actions.replace(withPlaces(other))}
          close={() => setDialog(undefined)}
        />
      )}
      {blocker.status === 'blocked' && <LeaveDialog stay={blocker.reset} leave={blocker.proceed} />}
    </section>
  );
}

/** What starts a graph starts no item of a loop. */
const offered = (types: readonly NodeType[], path: LoopPath): readonly NodeType[] =>
  path.length === 0 ? types : types.filter(({ trigger }) => !trigger);

/** Brings what was added into view, with what it comes after; never larger than life. */
function show(flow: Flow, frame: HTMLElement | null, ...[added, after]: [Point, Point?]): void {
  const box = frame?.querySelector('.react-flow')?.getBoundingClientRect();
  if (!box) return;
  const panel = frame?.querySelector('.graph-panel')?.getBoundingClientRect();
  const right = panel && panel.left > box.left + box.width / 2 ? panel.left : box.right;
  const from = flow.flowToScreenPosition(added);
  const to = flow.flowToScreenPosition({ x: added.x + CARD.width, y: added.y + CARD.height });
  if (from.x > box.left && from.y > box.top && to.x < right && to.y < box.bottom) return;
  const left = Math.min(added.x, after?.x ?? added.x);
  const zoom = Math.min(1, flow.getZoom());
  const centre = { x: (left + added.x + CARD.width) / 2, y: added.y + CARD.height / 2 };
  // The panel stands above the right of the canvas.
  void flow.setCenter(centre.x + (box.right - right) / 2 / zoom, centre.y, { zoom });
}

/** Moves the canvas so that a card stands above the node that is open over its lower part. */
function uncover(flow: Flow, frame: HTMLElement | null, place: Point): void {
  const box = frame?.querySelector('.react-flow')?.getBoundingClientRect();
  const sheet = frame?.querySelector('.graph-panel.open')?.getBoundingClientRect();
  // On a narrow page it stands below the canvas.
  if (!box || !sheet || sheet.top <= box.top || sheet.top >= box.bottom) return;
  const { x, y, zoom } = flow.getViewport();
  const card = flow.flowToScreenPosition(place);
  const [top, bottom] = [box.top + 64, sheet.top - 24 - CARD.height * zoom];
  const [left, right] = [box.left + 84, box.right - 24 - CARD.width * zoom];
  const to = { x: Math.min(Math.max(card.x, left), right), y: Math.min(Math.max(card.y, top), bottom) };
  if (to.x !== card.x || to.y !== card.y)
    void flow.setViewport({ x: x + to.x - card.x, y: y + to.y - card.y, zoom }, { duration: 160 });
}

/** The middle of what is shown, as a place of a card. */
function centreOf(frame: HTMLElement | null, flow: Flow): Point {
  const box = frame?.querySelector('.react-flow')?.getBoundingClientRect();
  if (!box) return { x: 0, y: 0 };
  const { x, y } = flow.screenToFlowPosition({ x: box.x + box.width / 2, y: box.y + box.height / 2 });
  return { x: x - CARD.width / 2, y: y - CARD.height / 2 };
}
