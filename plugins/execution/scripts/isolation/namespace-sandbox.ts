import { chmod, chown, mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { FolderDiskView, type DiskView } from '../contract/disk-view.ts';
import { interpreterMissing } from '../errors.ts';
import type { ProcessExit, SpawnRequest } from '../native/process-handle.ts';
import { findProgram } from '../domain/interpreter.ts';
import type { Sandbox } from './sandbox.ts';
import { isVisible, planArguments, type MountPlanOptions, type MountPolicy } from './plan.ts';
import { PROGRAM_ENDED, readReport } from './report.ts';
import type { Networks } from './network.ts';
import type { UidPool } from './users.ts';

/** Exit code of the native program if it could not isolate; its report then says why. */
const NOT_ISOLATED = 125;

interface NamespaceSandboxOptions {
  program: string;
  mount_policy: MountPolicy;
  root: string;
  reports: string;
  runtime_dir: string;
  folder: string;
  tools: readonly string[];
  users: UidPool | undefined;
  networks: Networks;
}

const LOST_PROCESS = { exit_code: null, signal: null, lost: true } as const;

/**
 * Prefix of a program's variables in the environment of the native program that starts it, which must not use them
 * itself.
 */
const PREFIX = 'SVCENV_';
/** Anything longer is not a report. */
const REPORT_BYTES = 4096;

/** What one pass has for itself: a working folder, a home and a /tmp on the disk, and a user if the agent is root. */
export class NamespaceSandbox implements Sandbox {
  readonly workdir: string;
  /** What the agent may read for its programs. */
  readonly disk_view: DiskView;
  readonly #options: NamespaceSandboxOptions;
  #user: number | undefined;
  readonly #home: string;
  readonly #tmp: string;
  readonly #writable_folders: string[];
  readonly #reports: string[] = [];
  readonly #networks: string[] = [];
  readonly #covers: [from: string, to: string][] = [];

  static async create(options: NamespaceSandboxOptions): Promise<NamespaceSandbox> {
    const sandbox = new NamespaceSandbox(options);
    try {
      await sandbox.#prepare();
      return sandbox;
    } catch (error) {
      await sandbox.close();
      throw error;
    }
  }

  private constructor(parts: NamespaceSandboxOptions) {
    this.#options = parts;
    this.#user = parts.users?.allocate();
    this.workdir = join(parts.folder, 'cwd');
    this.#home = join(parts.folder, 'home');
    this.#tmp = join(parts.folder, 'tmp');
    this.#writable_folders = [this.workdir, this.#home];
    this.disk_view = new FolderDiskView([
      { visible_path: parts.folder, real_path: parts.folder },
      { visible_path: '/tmp', real_path: this.#tmp },
    ]);
  }

  /** Creates the program's folders and gives it what is in the folder of the pass, before anything of it runs. */
  async #prepare(): Promise<void> {
    const { folder } = this.#options;
    for (const path of [...this.#writable_folders, this.#tmp]) await mkdir(path, { mode: 0o700 });
    await chmod(this.#tmp, 0o1777);
    if (this.#user === undefined) return;
    await chmod(folder, 0o755);
    await this.#registerAccount(this.#user);
    for (const entry of await readdir(folder, { withFileTypes: true, recursive: true }))
      if (!entry.isSymbolicLink()) await this.grantAccess(join(entry.parentPath, entry.name));
  }

  /** Programs such as ssh need a name for their user, and a group. */
  async #registerAccount(user: number): Promise<void> {
    const lines = {
      passwd: `svc-run:x:${user}:${user}:isolated run:${this.#home}:/bin/sh`,
      group: `svc-run:x:${user}:`,
    };
    for (const [name, line] of Object.entries(lines)) {
      const to = `/etc/${name}`;
      const existing = await readFile(to, 'utf8').catch(() => undefined);
      if (existing === undefined) continue;
      const from = join(this.#options.folder, name);
      await writeFile(from, `${existing.replace(/\n*$/, '\n')}${line}\n`, { mode: 0o644, flag: 'wx' });
      this.#covers.push([from, to]);
    }
  }

  async grantAccess(path: string): Promise<void> {
    if (this.#user !== undefined) await chown(path, this.#user, this.#user);
  }

  async createFolder(path: string): Promise<void> {
    await mkdir(path, { mode: 0o700 });
    await this.grantAccess(path);
    this.#writable_folders.push(path);
  }

  createParentFolder(path: string): Promise<void> {
    return this.createFolder(path);
  }

  /** Programs see nothing of the agent but the folder of the pass, in which they cannot write. */
  async createReadableFolder(_runtime_dir: string, name: string): Promise<string> {
    const path = join(this.#options.folder, name);
    await mkdir(path, { mode: 0o700 });
    if (this.#user !== undefined) await chmod(path, 0o755);
    return path;
  }

  async find(program: string, path: string): Promise<string | undefined> {
    // A path within the program's own files; the agent, who may see more, does not look it up.
    if (program.includes('/')) return resolve(this.workdir, program);
    for (const folder of path.split(delimiter)) {
      const candidate = await findProgram(program, folder, '/');
      if (candidate !== undefined && isVisible(candidate, this.#options.mount_policy)) return candidate;
    }
    const hidden_path = await findProgram(program, path, '/');
    if (hidden_path === undefined) return undefined;
    throw interpreterMissing(
      `${hidden_path} is on the agent's machine, but isolated runs do not see it; show its folder: svc agent --show <folder>`,
    );
  }

  toSpawnRequest({ argv, env, cwd }: SpawnRequest): SpawnRequest {
    const { program, mount_policy, root, reports, folder, tools } = this.#options;
    const report = join(reports, `${folder.slice(folder.lastIndexOf('/') + 1)}-${this.#reports.length}`);
    this.#reports.push(report);
    const network = this.#options.networks.allocate();
    if (network !== undefined) this.#networks.push(network);
    const plan: MountPlanOptions = {
      mount_policy,
      root,
      report,
      user: this.#user,
      network,
      folder,
      tools,
      writable: this.#writable_folders,
      tmp: this.#tmp,
      covers: this.#covers,
      cwd,
    };
    return { argv: [program, ...planArguments(plan), ...argv], env: this.#environment(env), cwd: '/' };
  }

  #environment(env: Record<string, string>): Record<string, string> {
    const variables: Record<string, string> = { ...env, HOME: this.#home, TMPDIR: '/tmp' };
    // These name an account that it does not have.
    delete variables.USER;
    delete variables.LOGNAME;
    return Object.fromEntries(Object.entries(variables).map(([name, value]) => [`${PREFIX}${name}`, value]));
  }

  async interpretEnd(end: ProcessExit): Promise<ProcessExit> {
    if (end.exit_code !== NOT_ISOLATED && end.signal !== 'SIGKILL') return end;
    const report = readReport(await readStart(this.#reports.at(-1)!));
    if (report?.step === PROGRAM_ENDED) return end;
    // A signal that killed the isolating process was not meant for the program.
    if (end.signal !== null)
      return { ...LOST_PROCESS, error: 'the process was lost: the process that isolates it was killed' };
    if (!report) return end;
    const concerns_program = report.step === 'program' || report.step === 'folder';
    // Without a code it is an error of the agent.
    const code = concerns_program ? { error_code: report.code } : {};
    return { exit_code: null, signal: null, error: `it could not be started in isolation: ${report.text}`, ...code };
  }

  async close(): Promise<void> {
    await Promise.all(this.#reports.splice(0).map((report) => rm(report, { force: true })));
    await this.#options.networks.release(this.#networks.splice(0));
    if (this.#user !== undefined) this.#options.users?.release(this.#user);
    // Another pass may use it from now on.
    this.#user = undefined;
  }
}

async function readStart(path: string): Promise<string> {
  const file = await open(path).catch(() => undefined);
  if (!file) return '';
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(REPORT_BYTES), 0, REPORT_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
