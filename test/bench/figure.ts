import type { Bench } from './bench-run.ts';

/** What a figure is to reach: a bound on the figure itself or on its ratio to the floor. */
export interface Goal {
  of: 'value' | 'ratio';
  is: 'at most' | 'at least';
  bound: number;
}

/** One line of the report. `ours`, `floor` and a bound on the value are in `unit`. */
export interface Row {
  figure: string;
  unit: string;
  ours: number;
  /** Measured in the same run, on the same machine; absent where nothing can be one. */
  floor?: { value: number; is: string };
  /** Absent: measured to be seen, with nothing promised. */
  goal?: Goal;
  /** How many of the things measured were really done, as counted afterwards. */
  done: number;
  note?: string;
}

/** A file of `figures/`. Measures one thing, counts what was done and leaves nothing behind. */
export interface Figure {
  name: string;
  summary: string;
  /** Throws when the work was not done. */
  measure(bench: Bench): Promise<Row[]>;
}

export const atMost = (bound: number): Goal => ({ of: 'ratio', is: 'at most', bound });
export const atLeast = (bound: number): Goal => ({ of: 'ratio', is: 'at least', bound });
export const atMostValue = (bound: number): Goal => ({ of: 'value', is: 'at most', bound });
export const atLeastValue = (bound: number): Goal => ({ of: 'value', is: 'at least', bound });

export const ratioOf = ({ ours, floor }: Row): number | undefined => (floor ? ours / floor.value : undefined);

/** Undefined when nothing was promised. */
export function isMet(row: Row): boolean | undefined {
  if (!row.goal) return undefined;
  const value = row.goal.of === 'ratio' ? ratioOf(row)! : row.ours;
  return row.goal.is === 'at most' ? value <= row.goal.bound : value >= row.goal.bound;
}

/** Throws when a count is not what it must be: a figure of work that was not done says nothing. */
export function mustBe(what: string, found: number, wanted: number): number {
  if (found !== wanted) throw new Error(`${what}: ${found} instead of ${wanted}`);
  return found;
}
