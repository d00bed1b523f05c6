import { chmod, chown, mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { FoldersOnly, type FileRoom } from '../contract/file-room.ts';
import { interpreterMissing } from '../errors.ts';
import type { ProcessEnd, SpawnRequest } from '../native/process-handle.ts';
import { findProgram } from '../domain/interpreter.ts';
import type { Ground } from './ground.ts';
import { isInSight, planArguments, type Sight } from './plan.ts';
import { ENDED, readReport } from './report.ts';
import type { Networks } from './network.ts';
import type { Users } from './users.ts';

/** Exit code of the native program when it could not isolate; then its report says why. */
const NOT_ISOLATED = 125;

interface CellParts {
  program: string;
  sight: Sight;
  root: string;
  reports: string;
  runtime_dir: string;
  folder: string;
  tools: readonly string[];
  users: Users | undefined;
  networks: Networks;
}

const LOST = { exit_code: null, signal: null, lost: true } as const;

/** Variables of a program, for the native program that starts it: it has none of them itself. */
const PREFIX = 'SVCENV_';
/** More than a line is no report of it. */
const REPORT_BYTES = 4096;

/** What one pass has for itself: a working folder, a home and a /tmp on the disk, and a user where the agent is root. */
export class Cell implements Ground {
  readonly workdir: string;
  /** What the agent reads for its programs. */
  readonly room: FileRoom;
  readonly #parts: CellParts;
  #user: number | undefined;
  readonly #home: string;
  readonly #tmp: string;
  readonly #own: string[];
  readonly #reports: string[] = [];
  readonly #networks: string[] = [];
  readonly #covers: [from: string, to: string][] = [];

  static async make(parts: CellParts): Promise<Cell> {
    const cell = new Cell(parts);
    try {
      await cell.#prepare();
      return cell;
    } catch (error) {
      await cell.close();
      throw error;
    }
  }

  private constructor(parts: CellParts) {
    this.#parts = parts;
    this.#user = parts.users?.take();
    this.workdir = join(parts.folder, 'cwd');
    this.#home = join(parts.folder, 'home');
    this.#tmp = join(parts.folder, 'tmp');
    this.#own = [this.workdir, this.#home];
    this.room = new FoldersOnly([
      { seen: parts.folder, lies: parts.folder },
      { seen: '/tmp', lies: this.#tmp },
    ]);
  }

  /** Makes the program's folders, and gives it what lies in the folder of the pass. Before anything of it runs. */
  async #prepare(): Promise<void> {
    const { folder } = this.#parts;
    for (const path of [...this.#own, this.#tmp]) await mkdir(path, { mode: 0o700 });
    await chmod(this.#tmp, 0o1777);
    if (this.#user === undefined) return;
    await chmod(folder, 0o755);
    await this.#name(this.#user);
    for (const entry of await readdir(folder, { withFileTypes: true, recursive: true }))
      if (!entry.isSymbolicLink()) await this.give(join(entry.parentPath, entry.name));
  }

  /** Programs such as ssh want a name for their user, and a group. */
  async #name(user: number): Promise<void> {
    const lines = {
      passwd: `svc-run:x:${user}:${user}:isolated run:${this.#home}:/bin/sh`,
      group: `svc-run:x:${user}:`,
    };
    for (const [name, line] of Object.entries(lines)) {
      const to = `/etc/${name}`;
      const known = await readFile(to, 'utf8').catch(() => undefined);
      if (known === undefined) continue;
      const from = join(this.#parts.folder, name);
      await writeFile(from, `${known.replace(/\n*$/, '\n')}${line}\n`, { mode: 0o644, flag: 'wx' });
      this.#covers.push([from, to]);
    }
  }

  async give(path: string): Promise<void> {
    if (this.#user !== undefined) await chown(path, this.#user, this.#user);
  }

  async folder(path: string): Promise<void> {
    await mkdir(path, { mode: 0o700 });
    await this.give(path);
    this.#own.push(path);
  }

  parent(path: string): Promise<void> {
    return this.folder(path);
  }

  async find(program: string, path: string): Promise<string | undefined> {
    // A path of the program's own files: the agent, who may see more, does not look it up.
    if (program.includes('/')) return resolve(this.workdir, program);
    for (const folder of path.split(delimiter)) {
      const found = await findProgram(program, folder, '/');
      if (found !== undefined && isInSight(found, this.#parts.sight)) return found;
    }
    const unseen = await findProgram(program, path, '/');
    if (unseen === undefined) return undefined;
    throw interpreterMissing(
      `${unseen} is on the agent's machine, but isolated runs do not see it; show its folder: svc agent --show <folder>`,
    );
  }

  request({ argv, env, cwd }: SpawnRequest): SpawnRequest {
    const { program, sight, root, reports, folder, tools } = this.#parts;
    const report = join(reports, `${folder.slice(folder.lastIndexOf('/') + 1)}-${this.#reports.length}`);
    this.#reports.push(report);
    const network = this.#parts.networks.take();
    if (network !== undefined) this.#networks.push(network);
    const plan = {
      sight,
      root,
      report,
      user: this.#user,
      network,
      folder,
      tools,
      own: this.#own,
      tmp: this.#tmp,
      covers: this.#covers,
      cwd,
    };
    return { argv: [program, ...planArguments(plan), ...argv], env: this.#environment(env), cwd: '/' };
  }

  #environment(env: Record<string, string>): Record<string, string> {
    const own: Record<string, string> = { ...env, HOME: this.#home, TMPDIR: '/tmp' };
    // Names of an account that it does not have.
    delete own.USER;
    delete own.LOGNAME;
    return Object.fromEntries(Object.entries(own).map(([name, value]) => [`${PREFIX}${name}`, value]));
  }

  async ended(end: ProcessEnd): Promise<ProcessEnd> {
    if (end.exit_code !== NOT_ISOLATED && end.signal !== 'SIGKILL') return end;
    const fault = readReport(await firstBytes(this.#reports.at(-1)!));
    if (fault?.step === ENDED) return end;
    // Whoever killed what keeps the program apart has not killed the program for a reason of its own.
    if (end.signal !== null) return { ...LOST, error: 'the process was lost: what keeps it apart was killed' };
    if (!fault) return end;
    const ofProgram = fault.step === 'program' || fault.step === 'folder';
    // Without a code it is a fault of the agent.
    const code = ofProgram ? { error_code: fault.code } : {};
    return { exit_code: null, signal: null, error: `it could not be started in isolation: ${fault.text}`, ...code };
  }

  async close(): Promise<void> {
    await Promise.all(this.#reports.splice(0).map((report) => rm(report, { force: true })));
    await this.#parts.networks.free(this.#networks.splice(0));
    if (this.#user !== undefined) this.#parts.users?.free(this.#user);
    // Another pass may have it from now on.
    this.#user = undefined;
  }
}

async function firstBytes(path: string): Promise<string> {
  const file = await open(path).catch(() => undefined);
  if (!file) return '';
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(REPORT_BYTES), 0, REPORT_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
