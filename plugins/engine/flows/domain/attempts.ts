import { NODE_ITEM } from './decide.ts';
import type { PlannedNode } from './plan.ts';

/** The name of an activity for a node, or for one of its items. */
export const activityName = ({ id }: PlannedNode, { item }: { item: number }): string =>
  item === NODE_ITEM ? id : `${id}[${item}]`;

/**
 * Prefixes the message of a failure with the node that the author wrote, unless it already names it. A node of the run itself
 * acquires the lease of its group; nobody knows its id.
 */
export function describeFailure(node: Pick<PlannedNode, 'id' | 'part_of'>, message: string): string {
  const internal = `node ${node.id}: `;
  if (node.part_of === 'run')
    return `the concurrency group of the run: ${message.startsWith(internal) ? message.slice(internal.length) : message}`;
  const name = `node ${authoredNodeId(node)}: `;
  return message.startsWith(name) ? message : `${name}${message}`;
}

/** Returns the id that the author wrote. The failure of a helper node counts as that of its node. */
const authoredNodeId = ({ id, part_of }: Pick<PlannedNode, 'id' | 'part_of'>): string =>
  part_of === undefined || part_of === 'run' ? id : part_of.node;
