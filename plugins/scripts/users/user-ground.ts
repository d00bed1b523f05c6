import { chmod, lchown, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { takeBack } from '../../agents/contract.ts';
import type { AgentEnvironment } from '../domain/environment.ts';
import type { Ground } from '../isolation/ground.ts';
import type { ProcessEnd, SpawnRequest } from '../native/process-handle.ts';
import { findAs } from './find-as.ts';
import type { RunUser } from './run-users.ts';
import { UserRoom } from './user-room.ts';

export interface UserGroundParts {
  user: RunUser;
  env: AgentEnvironment;
  /** The folder of the pass; absent: it has none. */
  folder: string | undefined;
}

/**
 * Programs run as another user than the agent, which is root. What the agent writes for them later lies in folders of root, which
 * they can enter and cannot change: there no link can lead it elsewhere. Files, sockets and working folders are theirs.
 */
export class UserGround implements Ground {
  readonly workdir: string;
  readonly room: UserRoom;
  readonly #user: RunUser;
  readonly #env: AgentEnvironment;
  readonly #folder: string | undefined;

  static async make(parts: UserGroundParts): Promise<UserGround> {
    const ground = new UserGround(parts);
    if (parts.folder !== undefined) await ground.#prepare(parts.folder);
    return ground;
  }

  private constructor({ user, env, folder }: UserGroundParts) {
    this.workdir = user.workdir;
    this.room = new UserRoom(user);
    this.#user = user;
    this.#env = env;
    this.#folder = folder;
  }

  /** Nothing of the program runs yet that could change what lies there, except in a folder that is its own. */
  async #prepare(folder: string): Promise<void> {
    await this.#open(folder);
    for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isDirectory()) await this.#open(path);
      else if (!entry.isSymbolicLink()) await this.give(path);
    }
  }

  /** A folder of root that the program may enter and list. */
  async #open(folder: string): Promise<void> {
    await lchown(folder, 0, this.#user.gid);
    await chmod(folder, 0o750);
  }

  find(program: string, path: string): Promise<string | undefined> {
    return findAs(this.#user, program, path, this.workdir);
  }

  async give(path: string): Promise<void> {
    await lchown(path, this.#user.uid, this.#user.gid);
  }

  async folder(path: string): Promise<void> {
    await mkdir(path, { mode: 0o700 });
    await this.give(path);
  }

  async parent(path: string): Promise<void> {
    await mkdir(path, { mode: 0o700 });
    await this.#open(path);
  }

  request(request: SpawnRequest): SpawnRequest {
    const { uid, gid } = this.#user;
    return { ...request, env: environmentOf(request.env, this.#user, this.#env), user: { uid, gid } };
  }

  async ended(end: ProcessEnd): Promise<ProcessEnd> {
    return end;
  }

  async close(): Promise<void> {
    if (this.#folder !== undefined) await takeBack(this.#folder);
  }
}

/** The environment with what is the user's in place of what is the agent's; what the job sets itself stays. */
export function environmentOf(
  env: Readonly<Record<string, string>>,
  { name, home, tmp }: Pick<RunUser, 'name' | 'home' | 'tmp'>,
  agent: AgentEnvironment,
): Record<string, string> {
  const own: Record<string, string> = { ...env };
  const ofAgent = (variable: string) => own[variable] === undefined || own[variable] === agent[variable];
  if (ofAgent('HOME')) own.HOME = home;
  if (tmp !== undefined && ofAgent('TMPDIR')) own.TMPDIR = tmp;
  for (const variable of ['USER', 'LOGNAME'])
    if (ofAgent(variable)) {
      if (name === undefined) delete own[variable];
      else own[variable] = name;
    }
  return own;
}
