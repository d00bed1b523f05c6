import { CARD } from '../canvas/layout.ts';
import type { GraphDocument, Point } from '../document.ts';

const GAP = { x: 72, y: 28 } as const;

/** The wanted place, or the first one below it at which no card lies. */
export function freePlace({ nodes }: Pick<GraphDocument, 'nodes'>, { x, y }: Point): Point {
  const near = nodes.flatMap(({ position }) => (position && Math.abs(position.x - x) < CARD.width ? [position.y] : []));
  let free = y;
  for (const taken of near.toSorted((a, b) => a - b))
    if (Math.abs(taken - free) < CARD.height) free = taken + CARD.height + GAP.y;
  return { x: Math.round(x), y: Math.round(free) };
}

/** Where what comes after a node is put. */
export const beside = ({ x, y }: Point): Point => ({ x: x + CARD.width + GAP.x, y });
