import { NODE_ITEM } from './decide.ts';
import type { PlannedNode } from './plan.ts';

/** The name of an activity for a node, or for one of its items. */
export const activityName = ({ id }: PlannedNode, { item }: { item: number }): string =>
  item === NODE_ITEM ? id : `${id}[${item}]`;

/** Prefixes a message with its node, unless the message already names it. */
export function prefixWithNode(id: string, message: string): string {
  const name = `node ${id}: `;
  return message.startsWith(name) ? message : `${name}${message}`;
}

/** Returns the id that the author wrote. The failure of a helper node counts as that of its node. */
export const authoredNodeId = ({ id, part_of }: Pick<PlannedNode, 'id' | 'part_of'>): string =>
  part_of === undefined || part_of === 'run' ? id : part_of.node;
