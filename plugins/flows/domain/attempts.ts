import { WHOLE } from './decide.ts';
import type { PlannedNode } from './plan.ts';

/** The name of an activity for a node, or for one of its items. */
export const nameOf = ({ id }: PlannedNode, { item }: { item: number }): string =>
  item === WHOLE ? id : `${id}[${item}]`;

/** A message that says its node already is not given it twice. */
export function named(id: string, message: string): string {
  const name = `node ${id}: `;
  return message.startsWith(name) ? message : `${name}${message}`;
}

/** The node that its author wrote: a failed part of it is its failure. */
export const writtenId = ({ id, part_of }: Pick<PlannedNode, 'id' | 'part_of'>): string =>
  part_of === undefined || part_of === 'run' ? id : part_of.node;
