import type { Text } from '@codemirror/state';

/** The offset of a line and a column, both from 1; what lies outside is the nearest place inside. */
export function positionOf(doc: Pick<Text, 'line' | 'lines'>, line: number, column: number): number {
  const { from, length } = doc.line(Math.min(Math.max(1, line), doc.lines));
  return from + Math.min(Math.max(0, column - 1), length);
}
