const told = new Set<string>();

/** Skips the scenario, and says once why: the gate repeats such lines at its end. */
export function leftOut(reason: string): 'skipped' {
  if (!told.has(reason)) process.stdout.write(`\nleft out: ${reason}\n`);
  told.add(reason);
  return 'skipped';
}
