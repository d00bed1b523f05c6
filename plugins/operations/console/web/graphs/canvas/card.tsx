import { Handle, type Node, type NodeProps, Position } from '@xyflow/react';
import { Plus } from 'lucide-react';
import { createContext, memo, useContext } from 'react';
import { StatusIcon } from '../../kit/status.tsx';
import { visible } from '../../kit/text.ts';
import type { GraphNode } from '../document.ts';
import { iconOf } from './icons.ts';
import { type Mark, markWords, stateOfTone } from './marks.ts';
import { belowName, nodeName } from './node-names.ts';

export type CardNode = Node<{ node: GraphNode; mark?: Mark | undefined }, 'card'>;

/** Adds a node after the one of this id; absent where a graph is only looked at. */
export const AddAfter = createContext<((id: string) => void) | undefined>(undefined);

/** Opens the loop of a node; absent where a graph is only looked at. */
export const OpenLoop = createContext<((node: GraphNode) => void) | undefined>(undefined);

/** One node on a canvas. Its size is that of CARD. */
export const Card = memo(function Card({ data: { node, mark }, isConnectable }: NodeProps<CardNode>) {
  const addAfter = useContext(AddAfter);
  const openLoop = useContext(OpenLoop);
  const trigger = node.type.startsWith('trigger.');
  const Icon = iconOf(node.type);
  const state = mark && stateOfTone(mark);
  return (
    <div className={mark ? `graph-card tone-${mark.tone}` : 'graph-card'} title={mark?.note && visible(mark.note)}>
      {!trigger && <Handle type="target" position={Position.Left} isConnectable={isConnectable} />}
      <span className={trigger ? 'graph-icon trigger' : 'graph-icon'}>
        <Icon size={16} aria-hidden />
      </span>
      <span className={isLong(node, mark) ? 'graph-words long' : 'graph-words'}>
        <strong>{visible(nodeName(node))}</strong>
        {mark ? (
          <span className="graph-mark">{visible(markWords(mark))}</span>
        ) : (
          <span className="graph-type">{visible(belowName(node))}</span>
        )}
      </span>
      {state && (
        <span className="graph-state">
          <StatusIcon of={state} silent />
        </span>
      )}
      <Handle type="source" position={Position.Right} isConnectable={isConnectable} />
      {openLoop && node.type === 'each' && (
        <button
          type="button"
          className="graph-loop small nodrag nopan"
          // The key `l` opens the loop of the chosen node; this is for the pointer.
          tabIndex={-1}
          aria-label={`Open loop ${visible(nodeName(node))}`}
          onClick={(event) => {
            event.stopPropagation();
            openLoop(node);
          }}
        >
          Open loop
        </button>
      )}
      {addAfter && (
        <button
          type="button"
          className="graph-plus nodrag nopan"
          // The key `a` adds after the chosen node; this is for the pointer.
          tabIndex={-1}
          aria-label={`Add a step after ${visible(nodeName(node))}`}
          onClick={(event) => {
            event.stopPropagation();
            addAfter(node.id);
          }}
        >
          <Plus size={12} strokeWidth={2.25} aria-hidden />
        </button>
      )}
    </div>
  );
});

/** What fits on a card is not clipped: clips are layers to the browser, and each frame of a drag goes through all of them. */
const FITS = 15;
const isLong = (node: GraphNode, mark: Mark | undefined): boolean =>
  nodeName(node).length > FITS || (mark ? markWords(mark) : belowName(node)).length > FITS;

/** Must be one object over all drawings. */
export const NODE_TYPES = { card: Card };
