import { totalmem } from 'node:os';
import type { Clock, Ids, Log } from '../../../kernel/contracts/index.ts';
import type { ActivityHost } from '../../agents/contract.ts';
import { type AgentEnvironment, agentEnvironment } from '../domain/environment.ts';
import { makeEmptyFolder } from '../executor/pass-folder.ts';
import type { SdkLinks } from '../executor/sdk-folder.ts';
import type { Spawner } from '../native/spawner.ts';
import { installHooks } from './hooks.ts';
import { hookOf, type Language } from './language.ts';
import { PreparedProcess, type Variables } from './prepared-process.ts';
import { isScript, programFile } from './program-file.ts';
import { startsAlike } from './steering.ts';
import { type Kind, WarmPool } from './warm-pool.ts';

/** A prepared Node.js has 50 to 70 MB resident, of which half is shared; a Python 15 MB. */
const BYTES_EACH = 64 * 1024 * 1024;
/** Of the machine's memory. */
const SHARE = 1 / 16;
const MAX_IN_ALL = 8;

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
  /** Of the script, in the folder of the pass. */
  filename: string;
  /** The environment of the script; what differs from pass to pass may be missing. */
  env: Variables;
}

interface WarmKind extends Kind {
  language: Language;
}

/** The prepared interpreters of one agent. */
export class WarmInterpreters {
  readonly #parts: WarmParts;
  readonly #place: WarmPlace;
  readonly #env: Variables;
  readonly #pool: WarmPool<WarmKind, PreparedProcess>;
  #hooks: Promise<string> | undefined;

  constructor(parts: WarmParts, place: WarmPlace) {
    this.#parts = parts;
    this.#place = place;
    this.#env = agentEnvironment(parts.env, place.client_folder);
    this.#pool = new WarmPool({ ...parts, limit: limit(), prepare: (kind) => this.#prepare(kind) });
  }

  /**
   * The kind of a pass, for `take` and `use`; undefined when its interpreter must see the environment of the pass from its
   * first moment.
   */
  kindOf({ language, program, filename, env }: WarmPass): WarmKind | undefined {
    if (!startsAlike({ language, is_script: isScript(program) }, this.#env, env)) return undefined;
    return { key: `${program}\0${filename}`, program, filename, language };
  }

  take(kind: WarmKind): PreparedProcess | undefined {
    return this.#pool.take(kind);
  }

  use(kind: WarmKind, ended: Promise<unknown>): void {
    this.#pool.use(kind, ended);
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  async #prepare({ program: path, language, filename }: WarmKind): Promise<PreparedProcess> {
    const { agent, spawner, links } = this.#place;
    this.#hooks ??= installHooks(agent.runtime_dir).catch((error) => {
      // The next one tries again: the disk may have room by then.
      this.#hooks = undefined;
      throw error;
    });
    const hook = hookOf(language, await this.#hooks);
    const program = programFile(path);
    if (hook === undefined || program === undefined) throw new Error('its path, or that of the agent, cannot be used');
    const name = `p${this.#parts.ids.bytes(6).toString('hex')}`;
    const folder = await makeEmptyFolder(agent.memory_dir ?? agent.runtime_dir, name, filename, links);
    const env = { ...this.#env, ...hook };
    const handle = spawner.prepare({ argv: [path, folder.source], env, cwd: agent.workdir });
    return new PreparedProcess({ clock: this.#parts.clock, handle, folder, env, program });
  }
}

/** By the memory that this process may use. */
function limit(): number {
  const allowed = process.constrainedMemory();
  const memory = allowed > 0 ? Math.min(allowed, totalmem()) : totalmem();
  return Math.min(MAX_IN_ALL, Math.floor((memory * SHARE) / BYTES_EACH));
}
