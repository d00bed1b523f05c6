export interface Counted {
  passed: number;
  failed: number;
}

/** What the tests of a tap program, or of several files in one, came to. */
export interface TapTotals {
  files: readonly Counted[];
  rest: Counted;
}

/**
 * Reads a part's own totals. A part that exits badly without a failed test of its own counts as one failure. A run of the
 * features in which no scenario ran is a failure too; a tap file may say that all of it is left out.
 */
export function count(kind: 'check' | 'tap' | 'cucumber', code: number, text: string, tap?: TapTotals): Counted {
  const found = totals(kind, code, text, tap);
  const wrong = code !== 0 || (kind === 'cucumber' && found.passed + found.failed === 0);
  return wrong && found.failed === 0 ? { ...found, failed: 1 } : found;
}

function totals(kind: 'check' | 'tap' | 'cucumber', code: number, text: string, tap: TapTotals | undefined): Counted {
  if (kind === 'check') return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 };
  if (kind === 'tap') {
    const all = tap ? [...tap.files, tap.rest] : [];
    const sum = (pick: (one: Counted) => number) => all.reduce((total, one) => total + pick(one), 0);
    return { passed: sum((one) => one.passed), failed: sum((one) => one.failed) };
  }
  const line = /^(\d+) scenarios? \((.*)\)$/m.exec(text);
  const passed = Number(/(\d+) passed/.exec(line?.[2] ?? '')?.[1] ?? 0);
  const skipped = Number(/(\d+) skipped/.exec(line?.[2] ?? '')?.[1] ?? 0);
  return { passed, failed: Number(line?.[1] ?? 0) - passed - skipped };
}
