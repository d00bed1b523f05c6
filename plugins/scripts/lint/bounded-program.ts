import { spawn } from 'node:child_process';

/** A larger text is not given to a program: what it would take to read it is not known. */
export const MAX_BYTES = 256 * 1024;
const MAX_MS = 2000;
/** The server reads the answer in one piece: a tree of a megabyte takes it 100 ms. Usual scripts have trees of three times their size. */
const MAX_ANSWER = 1024 * 1024;

export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Gives a text to a program and waits for what it says; undefined when it fails to start, is killed or says too much. */
export function askProgram(
  program: string,
  args: readonly string[],
  { text, env }: { text: string; env: Record<string, string> },
): Promise<Ended | undefined> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: MAX_MS,
      killSignal: 'SIGKILL',
    });
    let size = 0;
    const kept = (stream: NodeJS.ReadableStream): Buffer[] => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size <= MAX_ANSWER) chunks.push(chunk);
        else child.kill('SIGKILL');
      });
      return chunks;
    };
    const [out, err] = [kept(child.stdout), kept(child.stderr)];
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
