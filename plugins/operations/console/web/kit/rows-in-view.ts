export interface View {
  /** How far it is scrolled, in pixels. */
  top: number;
  height: number;
}

/** Rows beyond the edges that are drawn too, so that nothing is blank while it is scrolled. */
const BEYOND = 20;

/** The rows from `first` up to, but without, `end` are to be drawn. */
export function rowsInView({ top, height }: View, count: number, row_px: number): { first: number; end: number } {
  const end = Math.min(count, Math.ceil((top + height) / row_px) + BEYOND);
  return { first: Math.max(0, Math.min(Math.floor(top / row_px) - BEYOND, end)), end };
}
