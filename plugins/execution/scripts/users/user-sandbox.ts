import { chmod, lchown, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { reclaimFolder } from '../../agents/contract.ts';
import type { AgentEnvironment } from '../domain/environment.ts';
import type { Sandbox } from '../isolation/sandbox.ts';
import type { ProcessExit, SpawnRequest } from '../native/process-handle.ts';
import { findProgramAs } from './find-as.ts';
import type { RunUser } from './run-users.ts';
import { UserDiskView } from './user-disk-view.ts';

export interface UserSandboxOptions {
  user: RunUser;
  env: AgentEnvironment;
  /** The folder of the pass, if it has one. */
  folder: string | undefined;
}

/**
 * Runs programs as another user than the agent, which is root. Files that the agent writes for them later lie in
 * folders of root, which they can enter but not change, so no link there can divert it. The working folders, the
 * sockets and the files themselves belong to the user.
 */
export class UserSandbox implements Sandbox {
  readonly workdir: string;
  readonly disk_view: UserDiskView;
  readonly #user: RunUser;
  readonly #env: AgentEnvironment;
  readonly #folder: string | undefined;

  static async create(options: UserSandboxOptions): Promise<UserSandbox> {
    const sandbox = new UserSandbox(options);
    if (options.folder !== undefined) await sandbox.#prepare(options.folder);
    return sandbox;
  }

  private constructor({ user, env, folder }: UserSandboxOptions) {
    this.workdir = user.workdir;
    this.disk_view = new UserDiskView(user);
    this.#user = user;
    this.#env = env;
    this.#folder = folder;
  }

  /**
   * Hands the folder over before the program runs, when nothing can change its contents yet except in a folder of its
   * own.
   */
  async #prepare(folder: string): Promise<void> {
    await this.#makeEnterable(folder);
    for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isDirectory()) await this.#makeEnterable(path);
      else if (!entry.isSymbolicLink()) await this.grantAccess(path);
    }
  }

  /** Lets the program enter and list a folder of root. */
  async #makeEnterable(folder: string): Promise<void> {
    await lchown(folder, 0, this.#user.gid);
    await chmod(folder, 0o750);
  }

  find(program: string, path: string): Promise<string | undefined> {
    return findProgramAs(this.#user, program, path, this.workdir);
  }

  async grantAccess(path: string): Promise<void> {
    await lchown(path, this.#user.uid, this.#user.gid);
  }

  async createFolder(path: string): Promise<void> {
    await mkdir(path, { mode: 0o700 });
    await this.grantAccess(path);
  }

  async createParentFolder(path: string): Promise<void> {
    await mkdir(path, { mode: 0o700 });
    await this.#makeEnterable(path);
  }

  async createReadableFolder(runtime_dir: string, name: string): Promise<string> {
    const path = join(runtime_dir, name);
    await this.createParentFolder(path);
    return path;
  }

  toSpawnRequest(request: SpawnRequest): SpawnRequest {
    const { uid, gid } = this.#user;
    return { ...request, env: userEnvironment(request.env, this.#user, this.#env), user: { uid, gid } };
  }

  async interpretEnd(end: ProcessExit): Promise<ProcessExit> {
    return end;
  }

  async close(): Promise<void> {
    if (this.#folder !== undefined) await reclaimFolder(this.#folder);
  }
}

/** Returns the environment with the agent's own values replaced by those of the user. Values set by the job stay. */
export function userEnvironment(
  env: Readonly<Record<string, string>>,
  { name, home, tmp }: Pick<RunUser, 'name' | 'home' | 'tmp'>,
  agent: AgentEnvironment,
): Record<string, string> {
  const variables: Record<string, string> = { ...env };
  const isInherited = (variable: string) =>
    variables[variable] === undefined || variables[variable] === agent[variable];
  if (isInherited('HOME')) variables.HOME = home;
  if (tmp !== undefined && isInherited('TMPDIR')) variables.TMPDIR = tmp;
  for (const variable of ['USER', 'LOGNAME'])
    if (isInherited(variable)) {
      if (name === undefined) delete variables[variable];
      else variables[variable] = name;
    }
  return variables;
}
