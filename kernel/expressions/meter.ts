/**
 * Work is counted, never timed: a slow machine answers what a fast one does. A unit is about what one node of an
 * expression costs, some 50 to 100 ns, so that the whole budget stays well under 50 ms.
 */
const BUDGET = 150_000;

/** Never shown: the evaluation's own answer says that there was too much work. */
const SPENT = 'too much work';

let left = 0;
let spent = false;

/** Takes units from the running evaluation. Throws when there are none left, and from then on at every call. */
export function charge(units: number): void {
  left -= units;
  if (left >= 0) return;
  spent = true;
  throw new Error(SPENT);
}

/** Runs one evaluation with a budget of its own. The logic of CEL may absorb the error of `charge`; `spent` tells. */
export function metered<T>(run: () => T): { value: T; spent: boolean } {
  const outer = { left, spent };
  const traced = Error.stackTraceLimit;
  left = BUDGET;
  spent = false;
  // A loop may absorb an error at every turn, and most of what one costs is the stack that nobody sees.
  Error.stackTraceLimit = 0;
  try {
    const value = run();
    return { value, spent };
  } finally {
    Error.stackTraceLimit = traced;
    ({ left, spent } = outer);
  }
}
