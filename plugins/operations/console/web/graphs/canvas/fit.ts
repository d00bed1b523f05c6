import type { GraphDocument } from '../document.ts';
import { CARD } from './layout.ts';

/** A graph is never drawn so small that its words cannot be read: one pans instead. */
export const FIT = { minZoom: 0.7, maxZoom: 1, padding: 0.12 } as const;

/** Left and right of the canvas, where the page is narrow. */
const MARGINS_PX = 24;

/**
 * Beside the tools and the panel that float above the canvas of the editor, where it is wide enough for them. Elsewhere the
 * columns with which the graph begins: the middle of a long one would say little.
 */
export function fitInStudio({ nodes }: Pick<GraphDocument, 'nodes'>) {
  if (!matchMedia('(max-width: 1000px)').matches)
    return { ...FIT, padding: { top: '84px', left: '84px', right: '412px', bottom: '84px' } } as const;
  const start = nodes.reduce((least, { position }) => Math.min(least, position?.x ?? 0), Infinity);
  const end = start + (innerWidth - MARGINS_PX) / FIT.minZoom;
  const first = nodes.filter(({ position }) => (position?.x ?? 0) + CARD.width <= end);
  return { ...FIT, ...(first.length > 0 && { nodes: first.map(({ id }) => ({ id })) }) };
}
