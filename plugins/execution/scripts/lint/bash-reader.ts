import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock, Log } from '../../../../kernel/contracts/index.ts';
import { makeRuntimeDir, findMemoryFolder, removeRuntimeDir, sweepRuntimeDirs } from '../../agents/contract.ts';
import { openSpawner, type SpawnedProcess, type Spawner } from '../native/spawner.ts';

const MAX_MS = 2000;
const MAX_OUTPUT_BYTES = 1024 * 1024;

export interface ReaderDeps {
  clock: Clock;
  log: Log;
  env: Readonly<Record<string, string | undefined>>;
}

export interface BashDiagnostics {
  is_valid: boolean;
  /** What bash wrote about each error, without the name of the file, and its warnings. */
  messages: string[];
}

interface ReaderResources {
  folder: string;
  spawner: Spawner;
}

/**
 * Lets bash parse texts without executing them. It uses a spawner, because starting a program from a server blocks
 * its only thread for some milliseconds, and for longer the larger it is. Opened at the first text.
 */
export class BashReader {
  readonly #deps: ReaderDeps;
  #resources: Promise<ReaderResources> | undefined;
  #count = 0;
  #closed = false;

  constructor(deps: ReaderDeps) {
    this.#deps = deps;
  }

  /** Returns undefined if bash cannot be started, is killed or writes too much. */
  async read(bash: string, options: readonly string[], text: string): Promise<BashDiagnostics | undefined> {
    if (this.#closed) return undefined;
    const resources = await this.#openResources();
    const { folder, spawner } = resources;
    const file = join(folder, `t${(this.#count += 1)}`);
    try {
      writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
    } catch (error) {
      await this.#discardResources(resources, error as Error);
      return undefined;
    }
    try {
      const process = spawner.spawn({ argv: [bash, ...options, file], env: { LC_ALL: 'C' }, cwd: '/' });
      const output = await this.#collectOutput(process);
      const prefix = `${file}: `;
      const lines = output?.said.split('\n').filter((line) => line.startsWith(prefix)) ?? [];
      return output && { is_valid: output.exit === 0, messages: lines.map((line) => line.slice(prefix.length)) };
    } finally {
      rmSync(file, { force: true });
    }
  }

  /** Kills what is still being read. Safe to call twice. */
  async close(): Promise<void> {
    this.#closed = true;
    const opened = await this.#resources?.catch(() => undefined);
    if (opened) await release(opened);
  }

  /** Memory may be full or cleared at the end of a user's session; the next text gets a new folder. */
  async #discardResources(opened: ReaderResources, error: Error): Promise<void> {
    this.#resources = undefined;
    this.#deps.log.warn(
      { folder: opened.folder, reason: error.message },
      'the folder for checking scripts cannot be used',
    );
    await release(opened);
  }

  /** The next text tries again if it could not be opened. */
  #openResources(): Promise<ReaderResources> {
    this.#resources ??= this.#createResources().catch((error: unknown) => {
      this.#resources = undefined;
      throw error;
    });
    return this.#resources;
  }

  async #createResources(): Promise<ReaderResources> {
    const { env } = this.#deps;
    const parent = (await findMemoryFolder(env)) ?? env.TMPDIR;
    await sweepRuntimeDirs(parent, this.#deps.clock, this.#deps.log);
    const folder = await makeRuntimeDir(parent);
    try {
      return { folder, spawner: await openSpawner({ runtime_dir: folder }) };
    } catch (error) {
      await removeRuntimeDir(folder);
      throw error;
    }
  }

  /** Returns its exit code and what it wrote to stderr; undefined if it did not end by itself. */
  async #collectOutput(process: SpawnedProcess): Promise<{ exit: number | null; said: string } | undefined> {
    const said: Buffer[] = [];
    let size = 0;
    process.onOutput((stream, data) => {
      size += data.length;
      if (size > MAX_OUTPUT_BYTES) process.kill('SIGKILL');
      else if (stream === 'stderr') said.push(Buffer.from(data));
    });
    const cancel = this.#deps.clock.after(MAX_MS, () => process.kill('SIGKILL'));
    const end = await process.ended;
    cancel();
    if (end.error !== undefined || end.signal !== null) return undefined;
    return { exit: end.exit_code, said: Buffer.concat(said).toString() };
  }
}

async function release({ folder, spawner }: ReaderResources): Promise<void> {
  await spawner.close();
  await removeRuntimeDir(folder);
}
