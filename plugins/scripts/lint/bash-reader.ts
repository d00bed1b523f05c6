import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock, Log } from '../../../kernel/contracts/index.ts';
import { makeRuntimeDir, memoryParent, removeRuntimeDir, sweepRuntimeDirs } from '../../agents/contract.ts';
import { openSpawner, type SpawnedProcess, type Spawner } from '../native/spawner.ts';

const MAX_MS = 2000;
const MAX_ANSWER = 1024 * 1024;

export interface ReaderParts {
  clock: Clock;
  log: Log;
  env: Readonly<Record<string, string | undefined>>;
}

export interface BashAnswer {
  understood: boolean;
  /** What it wrote of each fault, without the name of the file. Also warnings about what it understands. */
  complaints: string[];
}

interface Opened {
  folder: string;
  spawner: Spawner;
}

/**
 * Lets bash read texts without executing them. Through a spawner, because starting a program from a server takes its one
 * thread some milliseconds, and more the larger it is. Opened at the first text.
 */
export class BashReader {
  readonly #parts: ReaderParts;
  #opened: Promise<Opened> | undefined;
  #count = 0;
  #closed = false;

  constructor(parts: ReaderParts) {
    this.#parts = parts;
  }

  /** Undefined when bash cannot be asked, is killed or says too much. */
  async read(bash: string, options: readonly string[], text: string): Promise<BashAnswer | undefined> {
    if (this.#closed) return undefined;
    const opened = await this.#open();
    const { folder, spawner } = opened;
    const file = join(folder, `t${(this.#count += 1)}`);
    try {
      writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
    } catch (error) {
      await this.#forget(opened, error as Error);
      return undefined;
    }
    try {
      const process = spawner.spawn({ argv: [bash, ...options, file], env: { LC_ALL: 'C' }, cwd: '/' });
      const answer = await this.#answerOf(process);
      const prefix = `${file}: `;
      const lines = answer?.said.split('\n').filter((line) => line.startsWith(prefix)) ?? [];
      return answer && { understood: answer.exit === 0, complaints: lines.map((line) => line.slice(prefix.length)) };
    } finally {
      rmSync(file, { force: true });
    }
  }

  /** Kills what still reads. Safe to call twice. */
  async close(): Promise<void> {
    this.#closed = true;
    const opened = await this.#opened?.catch(() => undefined);
    if (opened) await release(opened);
  }

  /** Memory may be full, or be cleared at the end of a user's session: the next text has a new folder. */
  async #forget(opened: Opened, error: Error): Promise<void> {
    this.#opened = undefined;
    this.#parts.log.warn({ folder: opened.folder, reason: error.message }, 'the folder of documents cannot be used');
    await release(opened);
  }

  /** The next text tries again when it could not be opened. */
  #open(): Promise<Opened> {
    this.#opened ??= this.#make().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  async #make(): Promise<Opened> {
    const { env } = this.#parts;
    const parent = (await memoryParent(env)) ?? env.TMPDIR;
    await sweepRuntimeDirs(parent, this.#parts.clock, this.#parts.log);
    const folder = await makeRuntimeDir(parent);
    try {
      return { folder, spawner: await openSpawner({ runtime_dir: folder }) };
    } catch (error) {
      await removeRuntimeDir(folder);
      throw error;
    }
  }

  /** Its exit code, and what it has written to stderr; undefined when it did not end by itself. */
  async #answerOf(process: SpawnedProcess): Promise<{ exit: number | null; said: string } | undefined> {
    const said: Buffer[] = [];
    let size = 0;
    process.onOutput((stream, data) => {
      size += data.length;
      if (size > MAX_ANSWER) process.kill('SIGKILL');
      else if (stream === 'stderr') said.push(Buffer.from(data));
    });
    const cancel = this.#parts.clock.after(MAX_MS, () => process.kill('SIGKILL'));
    const end = await process.ended;
    cancel();
    if (end.error !== undefined || end.signal !== null) return undefined;
    return { exit: end.exit_code, said: Buffer.concat(said).toString() };
  }
}

async function release({ folder, spawner }: Opened): Promise<void> {
  await spawner.close();
  await removeRuntimeDir(folder);
}
