import { type Connection, type Edge, type EdgeChange, type NodeChange, useReactFlow } from '@xyflow/react';
import { type DragEvent, memo, useMemo, useRef, useState } from 'react';
import type { CardNode } from '../canvas/card.tsx';
import { cardNode, drawnEdge, edgeIds } from '../canvas/elements.ts';
import { Flow } from '../canvas/flow.tsx';
import { fitInStudio } from '../canvas/fit.ts';
import { CARD } from '../canvas/layout.ts';
import type { Mark } from '../canvas/marks.ts';
import { edgeKey, type GraphDocument, type GraphEdge, type Point } from '../document.ts';
import { canConnect, connect, moveNodes } from './model.ts';
import type { Actions, Selection } from './state.ts';

/** What a dragged type of node is carried as. */
export const DRAGGED = 'application/x-svc-node';

interface Props {
  document: GraphDocument;
  selection: Selection;
  marks: ReadonlyMap<string, Mark>;
  /** Of a run, by `edgeKey`. */
  edgeMarks: ReadonlyMap<string, Mark>;
  actions: Actions;
  drop(type: string, at: Point): void;
  /** An edge from this node was dropped on empty ground. */
  onLoose(from: string, at: Point): void;
  onOpen(): void;
}

/** The canvas on which a graph is drawn. While cards are dragged nothing but their places changes. */
export const Surface = memo(function Surface({
  document,
  selection,
  marks,
  edgeMarks,
  actions,
  drop,
  onLoose,
  onOpen,
}: Props) {
  const flow = useReactFlow();
  const cards = useCards(document, selection, marks);
  const [dragged, setDragged] = useState<ReadonlyMap<string, Point>>();
  const nodes = useMemo(
    () => (dragged ? cards.map((one) => movedTo(one, dragged.get(one.id))) : cards),
    [cards, dragged],
  );
  const edges = useEdges(document, selection, edgeMarks);
  const onNodesChange = (changes: NodeChange<CardNode>[]) => {
    const chosen = changes.filter((change) => change.type === 'select');
    if (chosen.length > 0) actions.select((before) => ({ ...before, nodes: toggled(before.nodes, chosen) }));
    const moves = changes.flatMap((change) => (change.type === 'position' && change.position ? [change] : []));
    if (moves.length === 0) return;
    const places = new Map([...(dragged ?? []), ...moves.map(({ id, position }) => [id, position!] as const)]);
    if (moves.some(({ dragging }) => dragging)) {
      setDragged(places);
      return;
    }
    setDragged(undefined);
    actions.apply((now) => moveNodes(now, places), dragged ? undefined : 'arrow keys');
  };
  const onEdgesChange = (changes: EdgeChange[]) => {
    const chosen = changes.filter((change) => change.type === 'select');
    const keys = new Map(edgeIds(document).map(([id, edge]) => [id, edgeKey(edge)]));
    const known = chosen.map(({ id, selected }) => ({ id: keys.get(id) ?? id, selected }));
    if (known.length > 0) actions.select((before) => ({ ...before, edges: toggled(before.edges, known) }));
  };
  const onDrop = (event: DragEvent) => {
    const type = event.dataTransfer.getData(DRAGGED);
    if (!type) return;
    event.preventDefault();
    const { x, y } = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    drop(type, { x: x - CARD.width / 2, y: y - CARD.height / 2 });
  };
  return (
    <Flow
      fitViewOptions={fitInStudio(document)}
      nodes={nodes}
      edges={edges}
      onNodesChange={onNodesChange}
      onEdgesChange={onEdgesChange}
      onConnect={({ source, target }) => actions.apply((now) => connect(now, source, target))}
      isValidConnection={({ source, target }: Pick<Connection, 'source' | 'target'>) =>
        canConnect(document, source, target)
      }
      onConnectEnd={(event, { isValid, fromNode, fromHandle, toNode }) => {
        if (isValid || toNode || !fromNode || fromHandle?.type !== 'source' || !('clientX' in event)) return;
        const { x, y } = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
        onLoose(fromNode.id, { x, y: y - CARD.height / 2 });
      }}
      onNodeDoubleClick={onOpen}
      zoomOnDoubleClick={false}
      onDragOver={(event) => event.preventDefault()}
      onDrop={onDrop}
    />
  );
});

const movedTo = (card: CardNode, position: Point | undefined): CardNode =>
  position ? { ...card, position, dragging: true } : card;

function toggled(before: ReadonlySet<string>, changes: readonly { id: string; selected: boolean }[]): Set<string> {
  const after = new Set(before);
  for (const { id, selected } of changes) {
    if (selected) after.add(id);
    else after.delete(id);
  }
  return after;
}

const AT_START: Point = { x: 0, y: 0 };

/** Cards of nodes that did not change are the same objects as before: what draws them then has nothing to do. */
function useCards(document: GraphDocument, selection: Selection, marks: ReadonlyMap<string, Mark>): CardNode[] {
  const before = useRef(new Map<string, CardNode>());
  return useMemo(() => {
    const cards = document.nodes.map((node) => {
      const known = before.current.get(node.id);
      const mark = marks.get(node.id);
      const selected = selection.nodes.has(node.id);
      const same = known?.data.node === node && known.data.mark === mark && known.selected === selected;
      return same ? known : cardNode(node, node.position ?? AT_START, selected, mark);
    });
    before.current = new Map(cards.map((card) => [card.id, card]));
    return cards;
  }, [document.nodes, selection.nodes, marks]);
}

/** The same for edges. */
function useEdges(document: GraphDocument, selection: Selection, marks: ReadonlyMap<string, Mark>): Edge[] {
  const before = useRef(new Map<string, { edge: GraphEdge; mark: Mark | undefined; drawn: Edge }>());
  return useMemo(() => {
    const all = edgeIds(document).map(([id, edge]) => {
      const known = before.current.get(id);
      const selected = selection.edges.has(edgeKey(edge));
      const mark = marks.get(edgeKey(edge));
      const same = known?.edge === edge && known.mark === mark && known.drawn.selected === selected;
      return same ? known : { edge, mark, drawn: drawnEdge(edge, id, selected, mark) };
    });
    before.current = new Map(all.map((one) => [one.drawn.id, one]));
    return all.map(({ drawn }) => drawn);
  }, [document, selection.edges, marks]);
}
