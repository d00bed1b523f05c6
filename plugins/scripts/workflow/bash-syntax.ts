import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import type { Problem } from '../../runs/contract.ts';
import { findProgram } from '../domain/interpreter.ts';

/** bash reads a document of this size in a few milliseconds; a larger one is left to the agent. */
const LARGEST_BYTES = 256 * 1024;
const LONGEST_MS = 2000;
const MOST_AT_ONCE = 4;
const MOST_REMEMBERED = 256;
const MOST_PROBLEMS = 20;

/** Looks for syntax errors with `bash -n`, which runs nothing. */
export interface BashSyntax {
  problems(source: string): Promise<Problem[]>;
}

/**
 * `path` is where bash is looked for. A machine without bash, a document that is too large and a busy moment find
 * nothing: the agent's bash has the last word anyway.
 */
export function createBashSyntax(path: string): BashSyntax {
  const known = new Map<string, Problem[]>();
  let running = 0;
  return {
    async problems(source) {
      const digest = createHash('sha256').update(source).digest('base64');
      const found = known.get(digest);
      if (found !== undefined || Buffer.byteLength(source) > LARGEST_BYTES || running >= MOST_AT_ONCE)
        return found ?? [];
      running++;
      try {
        // Looked for first: a spawn that fails leaves its timer behind.
        const bash = await findProgram('bash', path, '/');
        const problems = bash === undefined ? undefined : await look(source, bash);
        if (problems === undefined) return [];
        if (known.size >= MOST_REMEMBERED) known.delete(known.keys().next().value!);
        known.set(digest, problems);
        return problems;
      } finally {
        running--;
      }
    },
  };
}

async function look(source: string, bash: string): Promise<Problem[] | undefined> {
  const plain = await complaints(['-n'], source, bash);
  if (plain === undefined || plain.length === 0) return plain;
  // `shopt -s extglob` in the document is not carried out by -n, and would be an error of ours to report.
  const extended = await complaints(['-O', 'extglob', '-n'], source, bash);
  if (extended === undefined || extended.length === 0) return extended;
  const first = plain[0]!.line;
  return leftBefore(source, first) ? [] : plain;
}

/** bash stops reading at an `exit` or `exec`: what follows may be anything. */
function leftBefore(source: string, line: number): boolean {
  return source
    .split('\n')
    .slice(0, line)
    .some((text) => /^(exit|exec)\b/.test(text));
}

/** What bash says against the source; undefined when it could not be asked. */
function complaints(options: readonly string[], source: string, bash: string): Promise<Problem[] | undefined> {
  return new Promise((resolve) => {
    const env = { LC_ALL: 'C' };
    const child = spawn(bash, options, {
      argv0: 'bash',
      env,
      stdio: ['pipe', 'ignore', 'pipe'],
      timeout: LONGEST_MS,
      killSignal: 'SIGKILL',
    });
    const chunks: Buffer[] = [];
    let size = 0;
    child.stderr.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= LARGEST_BYTES) chunks.push(chunk);
    });
    child.on('error', () => resolve(undefined));
    // bash may end before it has read everything.
    child.stdin.on('error', () => undefined);
    child.on('close', (code) => {
      if (code === 0) resolve([]);
      else resolve(code === null ? undefined : readComplaints(Buffer.concat(chunks).toString(), source));
    });
    child.stdin.end(source);
  });
}

/** bash leaves the number out when it reached the end in the first line. */
const COMPLAINT = /^bash: (?:line (\d+): )?(.*)$/;

function readComplaints(text: string, source: string): Problem[] {
  const lines = source.split('\n').length;
  const problems: Problem[] = [];
  for (const line of text.split('\n')) {
    const [, number, message] = COMPLAINT.exec(line) ?? [];
    // The second line about one error repeats the source in quotes.
    if (message === undefined || message.startsWith('`')) continue;
    problems.push({ line: Math.min(Number(number ?? 1), lines), column: 1, message, code: 'bash_syntax' });
  }
  if (problems.length === 0)
    problems.push({ line: 1, column: 1, message: 'bash cannot read this', code: 'bash_syntax' });
  return problems.slice(0, MOST_PROBLEMS);
}
