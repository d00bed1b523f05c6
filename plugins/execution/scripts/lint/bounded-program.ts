import { spawn } from 'node:child_process';

/** Larger texts are not passed to a program, because nobody knows how long it would take to read them. */
export const MAX_BYTES = 256 * 1024;
/** Reading takes a tenth of a second. A busy machine may need many times that, and must not leave scripts unchecked. */
const MAX_MS = 10_000;
/**
 * The server parses the response in one piece, which takes 100 ms for a tree of a megabyte. Usual scripts have trees
 * of three times their size.
 */
const MAX_OUTPUT_BYTES = 1024 * 1024;

export interface ProgramOutput {
  code: number;
  stdout: string;
  stderr: string;
}

/**
 * Passes a text to a program and returns what it prints; undefined if it fails to start, is killed or prints too
 * much.
 */
export function runBoundedProgram(
  program: string,
  args: readonly string[],
  { text, env }: { text: string; env: Record<string, string> },
): Promise<ProgramOutput | undefined> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: MAX_MS,
      killSignal: 'SIGKILL',
    });
    let size = 0;
    const collectChunks = (stream: NodeJS.ReadableStream): Buffer[] => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size <= MAX_OUTPUT_BYTES) chunks.push(chunk);
        else child.kill('SIGKILL');
      });
      return chunks;
    };
    const [out, err] = [collectChunks(child.stdout), collectChunks(child.stderr)];
    child.on('error', () => resolve(undefined));
    // It may end before it has read everything.
    child.stdin.on('error', () => undefined);
    child.on('close', (code) =>
      resolve(
        code === null
          ? undefined
          : { code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() },
      ),
    );
    child.stdin.end(text);
  });
}
