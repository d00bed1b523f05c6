import { CliError, Exit, usageError } from '../errors.ts';

/** What jq made of some JSON. What it put out before it failed counts too. */
export interface Filtered {
  stdout: string;
  /** What it said beside its output: `debug`. */
  said: string;
  fault?: CliError;
}

/** Takes one or more JSON values. */
export type Filter = (json: string) => Filtered;

/**
 * jq as a filter: texts without quotes, everything else as JSON, numbers as they were. Throws a usage error for what is no
 * filter, before a command does anything.
 */
export async function jqFilter(expression: string, { indented }: { indented: boolean }): Promise<Filter> {
  // A megabyte of WebAssembly, which only --jq needs.
  const { loadJq } = await import('jq-wasm');
  const jq = await loadJq();
  // jq takes a word that begins with - for a flag of its own.
  const query = expression.startsWith('-') ? ` ${expression}` : expression;
  const run = (json: string, form: string, filter = query) =>
    attempt(() => jq.raw(json, filter, [form, ...(indented ? [] : ['-c'])]));
  // Compiled only: `empty` has nothing to hand on. The second call finds the places as they are written.
  if (run('null', '-r', `empty|\n${query}`).exitCode === NOT_COMPILED) {
    const { exitCode, stderr } = run('', '-r');
    if (exitCode === NOT_COMPILED) throw noFilter(stderr);
  }
  return (json) => {
    const { stdout, stderr, exitCode } = whole(json, run);
    return exitCode === 0 ? { stdout, said: stderr } : { stdout, said: '', fault: failed(stderr) };
  };
}

const NOT_COMPILED = 3;

interface Ran {
  stdout: string;
  stderr: string;
  exitCode: number;
}

/** With a NUL behind each value, so that empty ones and spaces at the end are seen; a text that has one is printed plainly. */
function whole(json: string, run: (json: string, form: string) => Ran): Ran {
  const ran = run(json, '--raw-output0');
  if (ran.stderr.includes('containing NUL')) {
    const plain = run(json, '-r');
    return { ...plain, stdout: plain.stdout === '' ? '' : `${plain.stdout}\n` };
  }
  return { ...ran, stdout: ran.stdout.replaceAll('\0', '\n') };
}

function attempt(work: () => Ran): Ran {
  try {
    return work();
  } catch (error) {
    // Its memory is bounded.
    return { stdout: '', stderr: `it cannot go on: ${(error as Error).message}`, exitCode: 5 };
  }
}

const HOW = 'see https://jqlang.org/manual; put the filter in single quotes';

const noFilter = (said: string) => usageError(`--jq is no filter of jq: ${plain(said)}`, HOW);

const failed = (said: string) => new CliError(Exit.failed, 'jq_failed', `jq: ${plain(said)}`, HOW);

const plain = (said: string): string =>
  said
    .replaceAll(/^jq: error(?: \(at [^)]*\))?:? /gm, '')
    .replaceAll(/ at <top-level>,/g, ' at')
    .replace(/\njq: \d+ compile errors?\s*$/, '')
    .trim();
