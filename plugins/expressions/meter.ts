/*
 * Work is counted and never timed, so that a slow machine gives the same result as a fast one. One unit is about the
 * cost of one node, 50 to 100 ns, so the whole budget of an evaluation stays well below 50 ms.
 */

/** Never shown: the result of the evaluation says that there was too much work. */
const SPENT = 'too much work';

/** Units that one evaluation may take. */
export const EVALUATION_UNITS = 150_000;

let left = 0;
let spent = false;
let unreadable: string | undefined;

/** Notes why something that was read has no value in the language; the first one counts. */
export function cannotRead(reason: () => string): void {
  unreadable ??= reason();
}

/** Takes units from the running evaluation. Throws when none are left, and then at every further call. */
export function charge(units: number): void {
  left -= units;
  if (left >= 0) return;
  spent = true;
  throw new Error(SPENT);
}

interface Metered<T> {
  value: T;
  spent: boolean;
  unreadable: string | undefined;
  units: number;
}

/**
 * Runs one evaluation with its own budget. CEL's logic operators may absorb the error of `charge`; `spent` shows it. What
 * `cannotRead` noted is `unreadable`, whatever came of it.
 */
export function metered<T>(most: number, run: () => T): Metered<T> {
  const budget = Math.min(most, EVALUATION_UNITS);
  const outer = { left, spent, unreadable };
  const traced = Error.stackTraceLimit;
  left = budget;
  spent = false;
  unreadable = undefined;
  // A loop may absorb an error at every iteration, and most of an error's cost is its unused stack trace.
  Error.stackTraceLimit = 0;
  try {
    const value = run();
    return { value, spent, unreadable, units: Math.ceil(budget - Math.max(left, 0)) };
  } finally {
    Error.stackTraceLimit = traced;
    ({ left, spent, unreadable } = outer);
  }
}
