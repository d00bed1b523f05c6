import { Handle, type Node, type NodeProps, Position } from '@xyflow/react';
import { memo } from 'react';
import { visible } from '../../kit/text.ts';
import type { GraphNode } from '../document.ts';
import { glyphOf } from './glyphs.ts';
import { type Mark, markWords } from './marks.ts';

export type CardNode = Node<{ node: GraphNode; mark?: Mark | undefined }, 'card'>;

/** One node on a canvas. Its size is that of CARD. */
export const Card = memo(function Card({ data: { node, mark }, isConnectable }: NodeProps<CardNode>) {
  const trigger = node.type.startsWith('trigger.');
  return (
    <div className={mark ? `graph-card tone-${mark.tone}` : 'graph-card'} title={mark?.note && visible(mark.note)}>
      {!trigger && <Handle type="target" position={Position.Left} isConnectable={isConnectable} />}
      <span className="graph-glyph" aria-hidden="true">
        {glyphOf(node.type)}
      </span>
      <span className="graph-words">
        <strong>{visible(node.title ?? node.id)}</strong>
        <span className="graph-type">{visible(node.type)}</span>
        {mark && <span className="graph-mark">{visible(markWords(mark))}</span>}
      </span>
      <Handle type="source" position={Position.Right} isConnectable={isConnectable} />
    </div>
  );
});

/** Must be one object over all drawings. */
export const NODE_TYPES = { card: Card };
