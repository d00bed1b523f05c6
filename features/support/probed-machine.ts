import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstat, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type Machine, OwnMachine } from './machine.ts';
import type { Probe } from './probe.ts';

/** Compiled code of the command line, and what it knows of its user: nothing of it is for scripts. */
const STAYS = ['.cache', '.config'];

/** The machine of somebody else's agents, seen through the probe. */
export class ProbedMachine implements Machine {
  readonly #probe: Probe;
  readonly #folder: string;
  readonly #here = new OwnMachine();
  /** Of each file that was brought there: how it was then. */
  readonly #brought = new Map<string, string>();
  #bringing = Promise.resolve();

  constructor(probe: Probe, folder: string) {
    this.#probe = probe;
    this.#folder = folder;
  }

  /** One after the other: who comes second must not go on before the files of the first are there. */
  bring(): Promise<void> {
    this.#bringing = this.#bringing.then(() => this.#bringChanged());
    return this.#bringing;
  }

  async #bringChanged(): Promise<void> {
    if (this.#probe.shared) return;
    const changed: string[] = [];
    for (const name of await this.#names()) {
      const stamp = await stampOf(join(this.#folder, name));
      if (stamp === undefined || this.#brought.get(name) === stamp) continue;
      this.#brought.set(name, stamp);
      changed.push(name);
    }
    if (changed.length > 0) await this.#probe.unpack(await archive(this.#folder, changed), this.#folder);
  }

  /** What was written here since files were brought is newer than what is there; all else is asked there first. */
  async read(path: string): Promise<Buffer | undefined> {
    const name = relative(this.#folder, path);
    const here = await this.#here.read(path);
    if (this.#probe.shared || this.#brought.size === 0) return here;
    if (here && this.#brought.get(name) !== (await stampOf(path))) return here;
    return this.#probe.read(path);
  }

  makeGate(path: string): Promise<void> {
    return this.#probe.shared ? this.#here.makeGate(path) : this.#probe.makeGate(path);
  }

  openGate(path: string): Promise<void> {
    return this.#probe.shared ? this.#here.openGate(path) : this.#probe.openGate(path);
  }

  /** Also where folders are shared: containers on one disk have processes of their own. */
  lives(pid: number): Promise<boolean> {
    return this.#probe.lives(pid);
  }

  leave(): void {
    if (this.#brought.size > 0) this.#probe.removeLater(this.#folder);
  }

  /** Folders before what is in them; the scenario's folder itself is `.`. */
  async #names(): Promise<string[]> {
    const entries = await readdir(this.#folder, { recursive: true, withFileTypes: true });
    const names = entries
      .filter((one) => one.isFile() || one.isDirectory() || one.isSymbolicLink())
      .map((one) => relative(this.#folder, join(one.parentPath, one.name)))
      .filter((name) => !STAYS.includes(name.split('/', 1)[0]!));
    return ['.', ...names.sort()];
  }
}

/** Undefined for what is gone meanwhile: commands of the scenario make and remove files too. */
async function stampOf(path: string): Promise<string | undefined> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (found?.isDirectory()) return 'folder';
  return found && `${found.mtimeMs} ${found.size} ${found.mode} ${found.ino}`;
}

async function archive(folder: string, names: readonly string[]): Promise<Buffer> {
  const args = ['-C', folder, '--no-recursion', '--null', '-czf', '-', '-T', '-'];
  const tar = spawn('tar', args, { stdio: ['pipe', 'pipe', 'inherit'] });
  tar.stdin.end(names.map((name) => `${name}\0`).join(''));
  const chunks: Buffer[] = [];
  tar.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const [code] = (await once(tar, 'close')) as [number | null];
  if (code !== 0) throw new Error(`tar ended with ${code}`);
  return Buffer.concat(chunks);
}
