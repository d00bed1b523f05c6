import { BoundedMap } from '../../../kernel/contracts/index.ts';
import { createHash } from 'node:crypto';
import type { Problem } from '../../runs/contract.ts';
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
 * Looks for bash in `path`. Without bash, for a large document or when busy it finds nothing: the agent's bash decides
 * anyway.
 */
export function createBashSyntax(path: string, reader: BashReader): BashSyntax {
  const known = new BoundedMap<string, Problem[]>(MAX_REMEMBERED);
  let running = 0;
  return {
    async problems(source) {
      const digest = createHash('sha256').update(source).digest('base64');
      const found = known.get(digest);
      if (found !== undefined || Buffer.byteLength(source) > MAX_BYTES || running >= MAX_AT_ONCE) return found ?? [];
      running++;
      try {
        const bash = await findProgram('bash', path, '/');
        const problems = bash === undefined ? undefined : await look(source, reading(reader, bash));
        if (problems === undefined) return [];
        known.set(digest, problems);
        return problems;
      } finally {
        running--;
      }
    },
  };
}

type Reading = (options: readonly string[], source: string) => Promise<Problem[] | undefined>;

async function look(source: string, complaints: Reading): Promise<Problem[] | undefined> {
  const plain = await complaints(['-n'], source);
  if (plain === undefined || plain.length === 0) return plain;
  // `-n` does not execute `shopt -s extglob` of the document, so patterns after it would be reported wrongly.
  const extended = await complaints(['-O', 'extglob', '-n'], source);
  if (extended === undefined || extended.length === 0) return extended;
  const first = plain[0]!.line;
  return leftBefore(source, first) ? [] : plain;
}

/** Bash stops reading at `exit` or `exec`: anything may follow. */
function leftBefore(source: string, line: number): boolean {
  return source
    .split('\n')
    .slice(0, line)
    .some((text) => /^(exit|exec)\b/.test(text));
}

/** The errors that bash reports with these options; undefined when it could not run. */
const reading =
  (reader: BashReader, bash: string): Reading =>
  async (options, source) => {
    const answer = await reader.read(bash, options, source);
    if (answer === undefined) return undefined;
    return answer.understood ? [] : readComplaints(answer.complaints, source);
  };

const COMPLAINT = /^(?:line (\d+): )?(.*)$/;

function readComplaints(said: readonly string[], source: string): Problem[] {
  const lines = source.split('\n').length;
  const problems: Problem[] = [];
  for (const line of said) {
    const [, number, message] = COMPLAINT.exec(line) ?? [];
    // The second line about an error repeats the source in quotes.
    if (message === undefined || message.startsWith('`')) continue;
    problems.push({ line: Math.min(Number(number ?? 1), lines), column: 1, message, code: 'bash_syntax' });
  }
  if (problems.length === 0)
    problems.push({ line: 1, column: 1, message: 'bash cannot read this', code: 'bash_syntax' });
  return problems.slice(0, MAX_PROBLEMS);
}
