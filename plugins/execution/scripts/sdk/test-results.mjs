// What tests give in place of the world, and what it comes to in the journal.
import { SvcError } from './errors.mjs';
import { writeJson } from './numbers.mjs';
import { encodeResult } from './values.mjs';

export const callOf = ({ kind, name, ordinal }) => ({ kind, name, ordinal, site: `${name}#${ordinal}` });

/** A failure that a test gives in place of a result. */
export class Failure {
  constructor(message, { exitCode = 1, nonRetryable = false } = {}) {
    this.message = message;
    this.exitCode = exitCode;
    this.nonRetryable = nonRetryable;
  }
}

/** A signal, an event or an ask that arrives after a time, counted from the beginning of the run. */
export class Delayed {
  constructor(at_ms, payload) {
    this.at_ms = at_ms;
    this.payload = payload;
  }
}

/** What a test gives for a call: by its site (`charge#1`), else by its name. */
export function find(table = {}, name, site) {
  if (Object.hasOwn(table, site)) return table[site];
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

export const failed = ({ message, exitCode, nonRetryable }) => ({
  exit: exitCode,
  error: message === '' ? undefined : message,
  final: nonRetryable || undefined,
});

/** As a step records it: a text as it is. */
export const succeeded = (value) => recorded(encodeResult(value));
/** As the service records it: JSON, a text too. */
export const succeededAsJson = (value) => recorded(Buffer.from(`${writeJson(value) ?? 'null'}\n`));

/** As a command prints it. */
export const succeededAsText = (value) =>
  recorded(
    value === undefined ? Buffer.alloc(0) : Buffer.from(`${typeof value === 'string' ? value : writeJson(value)}\n`),
  );

export const recorded = (stdout) => ({ exit: 0, stdout, size: stdout.length });

/** What a test must give ends the test where it is missing. */
export const missing = (what, table, name) =>
  new SvcError(
    'test_result_missing',
    `the test provides no result for the ${what} ${JSON.stringify(name)}`,
    `Provide one: ${table}: { ${JSON.stringify(name)}: … }.`,
  );
