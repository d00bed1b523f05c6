import { BoundedMap } from '../../../../kernel/contracts/index.ts';
import { createHash } from 'node:crypto';
import type { Problem } from '../../../engine/runs/contract.ts';
import { findProgram } from '../domain/interpreter.ts';
import type { BashReader } from './bash-reader.ts';
import { MAX_BYTES } from './bounded-program.ts';

const MAX_AT_ONCE = 4;
const MAX_REMEMBERED = 256;
const MAX_PROBLEMS = 20;

/** Finds syntax errors with `bash -n`, which executes nothing. */
export interface BashSyntax {
  problems(source: string): Promise<Problem[]>;
}

/**
 * Looks for bash in `path`. Without bash, for a large document or when busy it finds nothing, because the agent's
 * bash decides in any case.
 */
export function createBashSyntax(path: string, reader: BashReader): BashSyntax {
  const cache = new BoundedMap<string, Problem[]>(MAX_REMEMBERED);
  let running = 0;
  return {
    async problems(source) {
      const digest = createHash('sha256').update(source).digest('base64');
      const cached = cache.get(digest);
      if (cached !== undefined || Buffer.byteLength(source) > MAX_BYTES || running >= MAX_AT_ONCE) return cached ?? [];
      running++;
      try {
        const bash = await findProgram('bash', path, '/');
        const problems = bash === undefined ? undefined : await findProblems(source, bashRunner(reader, bash));
        if (problems === undefined) return [];
        cache.set(digest, problems);
        return problems;
      } finally {
        running--;
      }
    },
  };
}

type BashRunner = (options: readonly string[], source: string) => Promise<Problem[] | undefined>;

async function findProblems(source: string, runBash: BashRunner): Promise<Problem[] | undefined> {
  const standard_problems = await runBash(['-n'], source);
  if (standard_problems === undefined || standard_problems.length === 0) return standard_problems;
  // `-n` does not execute a `shopt -s extglob` of the document, so patterns after it would be reported wrongly.
  const extended = await runBash(['-O', 'extglob', '-n'], source);
  if (extended === undefined || extended.length === 0) return extended;
  const first_line = standard_problems[0]!.line;
  return endsBefore(source, first_line) ? [] : standard_problems;
}

/** Bash stops reading at `exit` or `exec`, after which anything may follow. */
function endsBefore(source: string, line: number): boolean {
  return source
    .split('\n')
    .slice(0, line)
    .some((text) => /^(exit|exec)\b/.test(text));
}

/** Returns the errors that bash reports with these options; undefined if it could not run. */
const bashRunner =
  (reader: BashReader, bash: string): BashRunner =>
  async (options, source) => {
    const diagnostics = await reader.read(bash, options, source);
    if (diagnostics === undefined) return undefined;
    return diagnostics.is_valid ? [] : toProblems(diagnostics.messages, source);
  };

const ERROR_LINE = /^(?:line (\d+): )?(.*)$/;

function toProblems(messages: readonly string[], source: string): Problem[] {
  const lines = source.split('\n').length;
  const problems: Problem[] = [];
  for (const line of messages) {
    const [, number, message] = ERROR_LINE.exec(line) ?? [];
    // The second line of an error repeats the source in quotes.
    if (message === undefined || message.startsWith('`')) continue;
    problems.push({ line: Math.min(Number(number ?? 1), lines), column: 1, message, code: 'bash_syntax' });
  }
  if (problems.length === 0)
    problems.push({ line: 1, column: 1, message: 'bash cannot parse this', code: 'bash_syntax' });
  return problems.slice(0, MAX_PROBLEMS);
}
