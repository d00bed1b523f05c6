import { WHOLE } from './decide.ts';
import type { PlannedNode } from './plan.ts';

/** The name of an activity for a node, or for one of its items. */
export const nameOf = ({ id }: PlannedNode, { item }: { item: number }): string =>
  item === WHOLE ? id : `${id}[${item}]`;
