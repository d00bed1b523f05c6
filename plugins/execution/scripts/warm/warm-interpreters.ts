import { availableParallelism, totalmem } from 'node:os';
import type { Clock, Ids, Log } from '../../../../kernel/contracts/index.ts';
import type { ActivityHost } from '../../agents/contract.ts';
import { type AgentEnvironment, agentEnvironment } from '../domain/environment.ts';
import { createEmptyFolder } from '../executor/pass-folder.ts';
import type { SdkLinks } from '../executor/sdk-folder.ts';
import { HostSandbox } from '../isolation/sandbox.ts';
import type { Spawner } from '../native/spawner.ts';
import type { RunUser } from '../users/run-users.ts';
import { userEnvironment, UserSandbox } from '../users/user-sandbox.ts';
import { installHooks } from './hooks.ts';
import { hookVariable, type Language } from './language.ts';
import { PassSocket } from '../socket/server.ts';
import { PreparedProcess, type Variables } from './prepared-process.ts';
import { isScript, programFile } from './program-file.ts';
import { isStartEquivalent } from './steering.ts';
import { type ProcessKind, WarmPool } from './warm-pool.ts';

/** The share of the machine's memory that prepared interpreters may use. */
const SHARE = 1 / 16;
const MB = 1024 * 1024;
/** A prepared Node.js has 50 to 70 MB resident, half of it shared; a Python has 15 MB. Both take long to prepare. */
const LARGE = {
  bytes_each: 64 * MB,
  most: 8,
  limit_each: 4,
  refill_ms: 20,
  end_ms: 20,
  most_running: Number.POSITIVE_INFINITY,
};
/**
 * A prepared bash has 4 MB, most of it shared, and one is ready again when the next script of a sequence of short
 * ones begins. Preparing it takes as much as starting it, so nothing is gained when all processors are busy with
 * scripts.
 */
const SMALL = {
  bytes_each: 4 * MB,
  most: 16,
  limit_each: 8,
  refill_ms: 20,
  end_ms: 1,
  most_running: Math.max(1, Math.floor(availableParallelism() / 2)),
};

/** What all passes of an agent share. */
export interface WarmContext {
  agent: ActivityHost['agent'];
  spawner: Spawner;
  client_folder: string;
  links: SdkLinks;
}

export interface WarmDeps {
  clock: Clock;
  ids: Pick<Ids, 'bytes'>;
  log: Log;
  /** The agent's own environment. */
  env: AgentEnvironment;
}

/** A pass that a prepared process may run. */
export interface WarmPass {
  language: Language;
  /** The path of the interpreter. */
  program: string;
  options: readonly string[];
  /** The name of the script in the folder of the pass. */
  filename: string;
  /** The environment of the script; variables that differ from pass to pass may be missing. */
  env: Variables;
  /** The user that runs the process; by default that of the agent. */
  user?: RunUser | undefined;
}

interface WarmKind extends ProcessKind {
  language: Language;
  options: readonly string[];
  user: RunUser | undefined;
}

type Pool = WarmPool<WarmKind, PreparedProcess>;

/** The prepared interpreters of one agent. */
export class WarmInterpreters {
  readonly #deps: WarmDeps;
  readonly #context: WarmContext;
  readonly #env: Variables;
  readonly #large: Pool;
  readonly #small: Pool;
  #hooks: Promise<string> | undefined;

  constructor(deps: WarmDeps, context: WarmContext) {
    this.#deps = deps;
    this.#context = context;
    this.#env = agentEnvironment(deps.env, context.client_folder);
    const prepare = (kind: WarmKind) => this.#prepare(kind);
    this.#large = new WarmPool({ ...deps, ...LARGE, limit: maxProcesses(LARGE), prepare });
    this.#small = new WarmPool({ ...deps, ...SMALL, limit: maxProcesses(SMALL), prepare });
  }

  /**
   * Returns the kind of a pass for `take` and `use`, or undefined when its interpreter needs the environment of the
   * pass from the start.
   */
  classify({ language, program, options, filename, env, user }: WarmPass): WarmKind | undefined {
    if (!isStartEquivalent({ language, is_script: isScript(program) }, this.#preparationEnvironment(user), env))
      return undefined;
    return { key: `${program}\0${filename}\0${user?.uid ?? ''}`, program, options, filename, language, user };
  }

  /** Returns the environment in which an interpreter is prepared. */
  #preparationEnvironment(user: RunUser | undefined): Variables {
    return user ? userEnvironment(this.#env, user, this.#deps.env) : this.#env;
  }

  claim(kind: WarmKind): PreparedProcess | undefined {
    return this.#selectPool(kind).claim(kind);
  }

  trackPass(kind: WarmKind, ended: Promise<unknown>): void {
    this.#selectPool(kind).trackPass(kind, ended);
  }

  async close(): Promise<void> {
    await Promise.all([this.#large.close(), this.#small.close()]);
  }

  #selectPool({ language }: WarmKind): Pool {
    return language === 'bash' ? this.#small : this.#large;
  }

  async #prepare({ program: path, options, language, filename, user }: WarmKind): Promise<PreparedProcess> {
    const { agent, spawner, client_folder, links } = this.#context;
    this.#hooks ??= installHooks(agent.runtime_dir, client_folder).catch((error) => {
      // The next interpreter tries again, because the disk may have space by then.
      this.#hooks = undefined;
      throw error;
    });
    const hook = hookVariable(language, await this.#hooks);
    const program = programFile(path);
    if (hook === undefined || program === undefined) throw new Error("its path or the agent's path cannot be used");
    const name = `p${this.#deps.ids.bytes(6).toString('hex')}`;
    const folder = await createEmptyFolder(agent.memory_dir ?? agent.runtime_dir, name, filename, links);
    const env = { ...this.#preparationEnvironment(user), ...hook };
    let socket: PassSocket | undefined;
    try {
      // The socket is created early so that the pass need not wait for it.
      socket = await PassSocket.open(folder.socket);
      const argv = [path, ...options, folder.source];
      const host_sandbox = new HostSandbox(agent.workdir);
      const sandbox = user
        ? await UserSandbox.create({ user, env: this.#deps.env, folder: folder.folder })
        : host_sandbox;
      const handle = spawner.prepare(sandbox.toSpawnRequest({ argv, env, cwd: sandbox.workdir }));
      return new PreparedProcess({ clock: this.#deps.clock, handle, folder, socket, env, program });
    } catch (error) {
      await socket?.close();
      await folder.remove();
      throw error;
    }
  }
}

/** Limits the number of interpreters by the memory that this process may use. */
function maxProcesses({ bytes_each, most }: Pick<typeof LARGE, 'bytes_each' | 'most'>): number {
  const allowed = process.constrainedMemory();
  const memory = allowed > 0 ? Math.min(allowed, totalmem()) : totalmem();
  return Math.min(most, Math.floor((memory * SHARE) / bytes_each));
}
