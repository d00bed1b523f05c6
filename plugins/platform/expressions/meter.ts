/*
 * Work is counted and never timed, so that a slow machine gives the same result as a fast one. A unit is about the cost of a
 * node, 50 to 100 ns, so the whole budget of an evaluation stays well below 50 ms.
 */

/** The message is never shown, because the result of the evaluation says that there was too much work. */
const EXHAUSTED = 'too much work';

/** The units that one evaluation may take. */
export const EVALUATION_UNITS = 150_000;

let remaining = 0;
/** The units of all evaluations so far. */
let total_units = 0;
let exhausted = false;
let unreadable: string | undefined;

/** Records why a value that was read does not exist in the language. The first reason counts. */
export function reportUnreadable(reason: () => string): void {
  unreadable ??= reason();
}

/** Takes units from the budget of the running evaluation. Once none are left, this and every later call throws. */
export function charge(units: number): void {
  remaining -= units;
  if (remaining >= 0) return;
  exhausted = true;
  throw new Error(EXHAUSTED);
}

/** Returns the units that all evaluations of this process have taken. */
export const countUnits = (): number => total_units;

interface MeterResult<T> {
  value: T;
  exhausted: boolean;
  unreadable: string | undefined;
  units: number;
}

/**
 * Runs one evaluation with a budget. CEL's logic operators may absorb the error of `charge`, so `spent` reports it. `unreadable`
 * is the reason that `reportUnreadable` has recorded, even if the evaluation has a result.
 */
export function withMeter<T>(max_units: number, run: () => T): MeterResult<T> {
  const budget = Math.min(max_units, EVALUATION_UNITS);
  const outer = { left: remaining, spent: exhausted, unreadable };
  const traced = Error.stackTraceLimit;
  remaining = budget;
  exhausted = false;
  unreadable = undefined;
  // A loop may absorb an error at every iteration, and most of the cost of an error is its unused stack trace.
  Error.stackTraceLimit = 0;
  try {
    const value = run();
    return { value, exhausted, unreadable, units: Math.ceil(budget - Math.max(remaining, 0)) };
  } finally {
    total_units += Math.ceil(budget - Math.max(remaining, 0));
    Error.stackTraceLimit = traced;
    ({ left: remaining, spent: exhausted, unreadable } = outer);
  }
}
