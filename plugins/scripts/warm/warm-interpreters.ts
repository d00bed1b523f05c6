import { availableParallelism, totalmem } from 'node:os';
import type { Clock, Ids, Log } from '../../../kernel/contracts/index.ts';
import type { ActivityHost } from '../../agents/contract.ts';
import { type AgentEnvironment, agentEnvironment } from '../domain/environment.ts';
import { makeEmptyFolder } from '../executor/pass-folder.ts';
import type { SdkLinks } from '../executor/sdk-folder.ts';
import { OpenGround } from '../isolation/ground.ts';
import type { Spawner } from '../native/spawner.ts';
import type { RunUser } from '../users/run-users.ts';
import { environmentOf, UserGround } from '../users/user-ground.ts';
import { installHooks } from './hooks.ts';
import { hookOf, type Language } from './language.ts';
import { PassSocket } from '../socket/server.ts';
import { PreparedProcess, type Variables } from './prepared-process.ts';
import { isScript, programFile } from './program-file.ts';
import { startsAlike } from './steering.ts';
import { type Kind, WarmPool } from './warm-pool.ts';

/** Of the machine's memory. */
const SHARE = 1 / 16;
const MB = 1024 * 1024;
/** A prepared Node.js has 50 to 70 MB resident, of which half is shared; a Python 15 MB. Both take long to prepare. */
const LARGE = {
  ...{ bytes_each: 64 * MB, most: 8, limit_each: 4, refill_ms: 20, end_ms: 20 },
  most_running: Number.POSITIVE_INFINITY,
};
/**
 * A bash has 4 MB, of which most is shared, and waits again when the next script of a row of short ones begins. Preparing it
 * takes as much as starting it, so a machine gains nothing from it when all its processors are busy with scripts.
 */
const SMALL = {
  ...{ bytes_each: 4 * MB, most: 16, limit_each: 8, refill_ms: 20, end_ms: 1 },
  most_running: Math.max(1, Math.floor(availableParallelism() / 2)),
};

/** What all passes of an agent have in common. */
export interface WarmPlace {
  agent: ActivityHost['agent'];
  spawner: Spawner;
  client_folder: string;
  links: SdkLinks;
}

export interface WarmParts {
  clock: Clock;
  ids: Pick<Ids, 'bytes'>;
  log: Log;
  /** The agent's own environment. */
  env: AgentEnvironment;
}

/** A pass that a prepared process may take. */
export interface WarmPass {
  language: Language;
  /** Path of the interpreter. */
  program: string;
  options: readonly string[];
  /** Of the script, in the folder of the pass. */
  filename: string;
  /** The environment of the script; what differs from pass to pass may be missing. */
  env: Variables;
  /** Whose process it is; absent: the agent's. */
  user?: RunUser | undefined;
}

interface WarmKind extends Kind {
  language: Language;
  options: readonly string[];
  user: RunUser | undefined;
}

type Pool = WarmPool<WarmKind, PreparedProcess>;

/** The prepared interpreters of one agent. */
export class WarmInterpreters {
  readonly #parts: WarmParts;
  readonly #place: WarmPlace;
  readonly #env: Variables;
  readonly #large: Pool;
  readonly #small: Pool;
  #hooks: Promise<string> | undefined;

  constructor(parts: WarmParts, place: WarmPlace) {
    this.#parts = parts;
    this.#place = place;
    this.#env = agentEnvironment(parts.env, place.client_folder);
    const prepare = (kind: WarmKind) => this.#prepare(kind);
    this.#large = new WarmPool({ ...parts, ...LARGE, limit: limit(LARGE), prepare });
    this.#small = new WarmPool({ ...parts, ...SMALL, limit: limit(SMALL), prepare });
  }

  /**
   * The kind of a pass, for `take` and `use`; undefined when its interpreter must see the environment of the pass from its
   * first moment.
   */
  kindOf({ language, program, options, filename, env, user }: WarmPass): WarmKind | undefined {
    if (!startsAlike({ language, is_script: isScript(program) }, this.#envOf(user), env)) return undefined;
    return { key: `${program}\0${filename}\0${user?.uid ?? ''}`, program, options, filename, language, user };
  }

  /** The environment of the preparation. */
  #envOf(user: RunUser | undefined): Variables {
    return user ? environmentOf(this.#env, user, this.#parts.env) : this.#env;
  }

  take(kind: WarmKind): PreparedProcess | undefined {
    return this.#poolOf(kind).take(kind);
  }

  use(kind: WarmKind, ended: Promise<unknown>): void {
    this.#poolOf(kind).use(kind, ended);
  }

  async close(): Promise<void> {
    await Promise.all([this.#large.close(), this.#small.close()]);
  }

  #poolOf({ language }: WarmKind): Pool {
    return language === 'bash' ? this.#small : this.#large;
  }

  async #prepare({ program: path, options, language, filename, user }: WarmKind): Promise<PreparedProcess> {
    const { agent, spawner, client_folder, links } = this.#place;
    this.#hooks ??= installHooks(agent.runtime_dir, client_folder).catch((error) => {
      // The next one tries again: the disk may have room by then.
      this.#hooks = undefined;
      throw error;
    });
    const hook = hookOf(language, await this.#hooks);
    const program = programFile(path);
    if (hook === undefined || program === undefined) throw new Error('its path, or that of the agent, cannot be used');
    const name = `p${this.#parts.ids.bytes(6).toString('hex')}`;
    const folder = await makeEmptyFolder(agent.memory_dir ?? agent.runtime_dir, name, filename, links);
    const env = { ...this.#envOf(user), ...hook };
    let socket: PassSocket | undefined;
    try {
      // A pass that finds it made need not wait for it.
      socket = await PassSocket.open(folder.socket);
      const argv = [path, ...options, folder.source];
      const open = new OpenGround(agent.workdir);
      const ground = user ? await UserGround.make({ user, env: this.#parts.env, folder: folder.folder }) : open;
      const handle = spawner.prepare(ground.request({ argv, env, cwd: ground.workdir }));
      return new PreparedProcess({ clock: this.#parts.clock, handle, folder, socket, env, program });
    } catch (error) {
      await socket?.close();
      await folder.remove();
      throw error;
    }
  }
}

/** By the memory that this process may use. */
function limit({ bytes_each, most }: Pick<typeof LARGE, 'bytes_each' | 'most'>): number {
  const allowed = process.constrainedMemory();
  const memory = allowed > 0 ? Math.min(allowed, totalmem()) : totalmem();
  return Math.min(most, Math.floor((memory * SHARE) / bytes_each));
}
