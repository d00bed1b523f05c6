import type { NodeView } from './answers.ts';

/** How people know a node, or an item: `build`, `build (node=20)`, `parts[3]`. */
export const nodeLabel = ({ node, label, item }: Pick<NodeView, 'node' | 'label' | 'item'>): string =>
  label ?? (item === undefined ? node : `${node}[${item}]`);
