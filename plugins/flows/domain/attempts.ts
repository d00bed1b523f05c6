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
