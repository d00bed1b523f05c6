export interface Counted {
  passed: number;
  failed: number;
}

/**
 * Reads a part's own totals. A part that exits badly without a failed test of its own counts as one failure, and
 * one that ran no test is a failure too.
 */
export function count(kind: 'check' | 'tap' | 'cucumber', code: number, text: string): Counted {
  const found = kind === 'check' ? { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 } : totals(kind, text);
  const wrong = code !== 0 || found.passed + found.failed === 0;
  return wrong && found.failed === 0 ? { ...found, failed: 1 } : found;
}

function totals(kind: 'tap' | 'cucumber', text: string): Counted {
  if (kind === 'tap') {
    const line = /^(\d+) passed, (\d+) failed$/m.exec(text);
    return { passed: Number(line?.[1] ?? 0), failed: Number(line?.[2] ?? 0) };
  }
  const line = /^(\d+) scenarios? \((.*)\)$/m.exec(text);
  const passed = Number(/(\d+) passed/.exec(line?.[2] ?? '')?.[1] ?? 0);
  const skipped = Number(/(\d+) skipped/.exec(line?.[2] ?? '')?.[1] ?? 0);
  return { passed, failed: Number(line?.[1] ?? 0) - passed - skipped };
}
