import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Ended {
  code: number | null;
  output: string;
  /** It did not end in time and was killed. */
  hung: boolean;
}

/** Between the friendly word and the other. */
const GRACE_MS = 3000;

/** What runs now, by its folder. */
const running = new Map<string, number>();

/** For whoever is interrupted: ends what runs, and leaves nothing behind. */
export function endAllRuns(): void {
  for (const [folder, pid] of running) {
    signalTo(-pid, 'SIGKILL');
    endAllOf(folder);
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/**
 * Runs a program in a folder for temporary files of its own, and ends all that it has started: a fault may leave servers,
 * agents and scripts behind, which are known by that folder in their environment.
 */
export async function boundedRun(
  [program = '', ...args]: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv; bound_ms: number },
): Promise<Ended> {
  // A short name: sockets stand in it, whose paths have little room.
  const folder = await mkdtemp(join(tmpdir(), 'm-'));
  // Agents may give their scripts a user of their own.
  await chmod(folder, 0o1777);
  const env = { ...options.env, TMPDIR: folder };
  const child = spawn(program, args, { cwd: options.cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  if (child.pid !== undefined) running.set(folder, child.pid);
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  let hung = false;
  const kill = (signal: NodeJS.Signals) => signalTo(-child.pid!, signal);
  const friendly = setTimeout(() => {
    hung = true;
    kill('SIGTERM');
  }, options.bound_ms);
  const final = setTimeout(() => kill('SIGKILL'), options.bound_ms + GRACE_MS);
  const ended = once(child, 'exit') as Promise<[number | null]>;
  const closed = once(child, 'close');
  try {
    const [code] = await ended;
    endAllOf(folder);
    await closed;
    return { code, output: Buffer.concat(chunks).toString('utf8'), hung };
  } finally {
    running.delete(folder);
    clearTimeout(friendly);
    clearTimeout(final);
    // Who was just killed may still be writing.
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Of processes that have the folder in their environment. Only Linux tells; elsewhere the group is what is ended. */
function endAllOf(folder: string): void {
  for (const name of listed('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    if (environmentOf(pid).includes(folder)) signalTo(pid, 'SIGKILL');
  }
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // There is no such folder on this system.
  }
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return ''; // It has ended, or belongs to somebody else.
  }
}

function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
