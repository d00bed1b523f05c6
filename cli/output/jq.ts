import { CliError, Exit, usageError } from '../errors.ts';

/** The result of a jq filter. It includes the output from before a failure. */
export interface FilterResult {
  stdout: string;
  /** What the filter wrote besides its output, such as by `debug`. */
  messages: string;
  error?: CliError;
}

/** Takes one or more JSON values. */
export type Filter = (json: string) => FilterResult;

/**
 * Compiles a jq filter that prints strings without quotes and everything else as JSON, with numbers exactly as they were.
 * Throws a usage error for an invalid filter, before the command does anything.
 */
export async function jqFilter(expression: string, { indented }: { indented: boolean }): Promise<Filter> {
  // This is a megabyte of WebAssembly that only --jq needs.
  const { loadJq } = await import('jq-wasm');
  const jq = await loadJq();
  // jq would take an expression that begins with - for one of its flags.
  const query = expression.startsWith('-') ? ` ${expression}` : expression;
  const run = (json: string, form: string, filter = query) =>
    runJq(() => jq.raw(json, filter, [form, ...(indented ? [] : ['-c'])]));
  // `empty|` makes jq compile the filter without running it. The second call reports the positions as they were written.
  if (run('null', '-r', `empty|\n${query}`).exitCode === EXIT_COMPILE_ERROR) {
    const { exitCode, stderr } = run('', '-r');
    if (exitCode === EXIT_COMPILE_ERROR) throw invalidFilter(stderr);
  }
  return (json) => {
    const { stdout, stderr, exitCode } = runFilter(json, run);
    if (exitCode === 0) return { stdout, messages: stderr };
    const error = exitCode === EXIT_OUT_OF_MEMORY ? outOfMemory() : filterFailed(stderr);
    return { stdout, messages: '', error };
  };
}

const EXIT_COMPILE_ERROR = 3;
/** jq itself never exits with it. */
const EXIT_OUT_OF_MEMORY = -1;

interface JqResult {
  stdout: string;
  stderr: string;
  exitCode: number;
}

/**
 * Asks jq to end each value with NUL, so that empty values and trailing spaces are not lost. Falls back to plain output for
 * a string that contains NUL itself.
 */
function runFilter(json: string, run: (json: string, form: string) => JqResult): JqResult {
  const ran = run(json, '--raw-output0');
  if (ran.stderr.includes('containing NUL')) {
    const raw = run(json, '-r');
    return { ...raw, stdout: raw.stdout === '' ? '' : `${raw.stdout}\n` };
  }
  return { ...ran, stdout: ran.stdout.replaceAll('\0', '\n') };
}

/** A filter that needs more memory or stack than WebAssembly has stops without an error of jq, and prints "Aborted()". */
function runJq(work: () => JqResult): JqResult {
  const { error: printError } = console;
  console.error = () => undefined;
  try {
    return work();
  } catch {
    return { stdout: '', stderr: '', exitCode: EXIT_OUT_OF_MEMORY };
  } finally {
    console.error = printError;
  }
}

const outOfMemory = () =>
  new CliError(
    Exit.failed,
    'jq_failed',
    'jq: the filter needs too much memory',
    'print the result with --json, and pipe it to jq',
  );

const HINT = 'see https://jqlang.org/manual; put the filter in single quotes';

const invalidFilter = (stderr: string) => usageError(`invalid jq filter: ${cleanMessage(stderr)}`, HINT);

const filterFailed = (stderr: string) => new CliError(Exit.failed, 'jq_failed', `jq: ${cleanMessage(stderr)}`, HINT);

const cleanMessage = (stderr: string): string =>
  stderr
    .replaceAll(/^jq: error(?: \(at [^)]*\))?:? /gm, '')
    .replaceAll(/ at <top-level>,/g, ' at')
    .replace(/\njq: \d+ compile errors?\s*$/, '')
    .trim();
