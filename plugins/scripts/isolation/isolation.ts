import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Ids } from '../../../kernel/contracts/index.ts';
import type { ActivityHost, Assignment } from '../../agents/contract.ts';
import type { AgentEnvironment } from '../domain/environment.ts';
import { nativePrograms } from '../native/build.mjs';
import { Cell } from './cell.ts';
import { type Ground, OpenGround } from './ground.ts';
import { type Network, Networks } from './network.ts';
import { planArguments, type Sight, sightOf } from './plan.ts';
import { readReport } from './report.ts';
import { Users } from './users.ts';
import type { RunUser, RunUsers } from '../users/run-users.ts';
import { UserGround } from '../users/user-ground.ts';

const run = promisify(execFile);
const TRIAL_MS = 10_000;

export interface IsolationParts {
  env: AgentEnvironment;
  ids: Pick<Ids, 'bytes'>;
  /** The Node.js that runs scripts. */
  node: string;
  /** The folder `.svc` of this process; by default that of its working folder. */
  home?: string;
  /** Whose processes trusted programs are; absent: the agent's. */
  users?: RunUsers | undefined;
  /** False: as on a machine without the native program. */
  native?: boolean;
}

/** Where a cell is made. */
export interface CellPlace {
  runtime_dir: string;
  /** The folder of the pass. */
  folder: string;
  /** False: the pass makes it only where it is isolated. */
  made?: boolean;
  /** Folders of the agent that its scripts read. */
  tools: readonly string[];
}

/** Keeps programs apart from the rest of the machine: makes a cell for each pass. One for each agent. */
export class Isolation {
  readonly sight: Sight;
  readonly #parts: IsolationParts;
  readonly #users: Users | undefined;
  readonly #networks: Networks;
  readonly #readable = new Map<string, Promise<void>>();
  #fault: Promise<string | undefined> | undefined;
  #program = '';

  constructor(parts: IsolationParts) {
    this.#parts = parts;
    const extra = (parts.env.SVC_AGENT_SHOW ?? '').split(':').filter(Boolean);
    const home = parts.home ?? resolve('.svc');
    this.sight = sightOf({ env: parts.env, node: parts.node, extra, home });
    this.#users = process.getuid?.() === 0 ? new Users(parts.ids) : undefined;
    // The agent has checked it.
    this.#networks = new Networks((parts.env.SVC_AGENT_NETWORK || 'host') as Network);
  }

  /** Why this machine cannot isolate programs; undefined when it can. Tried once, by isolating one. */
  fault(): Promise<string | undefined> {
    this.#fault ??= this.#try();
    return this.#fault;
  }

  isolates({ trusted }: Pick<Assignment, 'trusted'>, agent: ActivityHost['agent']): boolean {
    return !trusted || agent.isolate_all;
  }

  /** Whose processes the programs of an assignment are; undefined: the agent's, or of an isolated one. */
  async user(
    assignment: Pick<Assignment, 'trusted' | 'project_id'>,
    agent: ActivityHost['agent'],
  ): Promise<RunUser | undefined> {
    if (this.isolates(assignment, agent)) return undefined;
    return await this.#parts.users?.at(assignment.project_id, agent.runtime_dir);
  }

  /**
   * A cell for untrusted work, and for all where the agent isolates everything. For the rest the folder of the project's user, or
   * else the agent's own. Throws when this machine cannot isolate.
   */
  async ground(
    assignment: Pick<Assignment, 'trusted' | 'project_id'>,
    agent: ActivityHost['agent'],
    place: CellPlace,
  ): Promise<Ground> {
    if (this.isolates(assignment, agent)) return await this.#cell(place);
    const user = await this.user(assignment, agent);
    if (user === undefined) return new OpenGround(agent.workdir);
    await this.#openTo(agent, place);
    const folder = place.made === false ? undefined : place.folder;
    return await UserGround.make({ user, env: this.#parts.env, folder });
  }

  /** The folders of the agent are entered on the way to those of a pass, and listed by nobody. */
  async #openTo({ runtime_dir, memory_dir }: ActivityHost['agent'], { tools }: CellPlace): Promise<void> {
    for (const folder of [runtime_dir, memory_dir])
      if (folder !== undefined) await this.#once(folder, () => chmod(folder, 0o711));
    for (const folder of tools) await this.#makeReadable(folder);
  }

  async #cell(place: CellPlace): Promise<Cell> {
    const fault = await this.fault();
    if (fault !== undefined) throw new Error(`this agent cannot isolate: ${fault}`);
    const { runtime_dir, tools } = place;
    const [root, reports] = [join(runtime_dir, 'root'), join(runtime_dir, 'reports')];
    for (const folder of [root, reports]) await mkdir(folder, { recursive: true, mode: 0o700 });
    if (this.#users) for (const folder of tools) await this.#makeReadable(folder);
    const [program, sight, users, networks] = [this.#program, this.sight, this.#users, this.#networks];
    return await Cell.make({ ...place, root, reports, program, sight, users, networks });
  }

  /** The agent's own folder hides it from everybody else. */
  #makeReadable(folder: string): Promise<void> {
    return this.#once(folder, () => readableByAll(folder));
  }

  #once(folder: string, work: () => Promise<void>): Promise<void> {
    const known = this.#readable.get(folder) ?? work();
    this.#readable.set(folder, known);
    return known;
  }

  async #try(): Promise<string | undefined> {
    if (process.platform !== 'linux') return `there are no namespaces on ${process.platform}`;
    const { programs, why } = this.#parts.native === false ? { programs: {}, why: undefined } : await nativePrograms();
    if (!programs.isolate) return `its native program was not compiled (${why ?? 'no C compiler'})`;
    this.#program = programs.isolate;
    const fault = await this.#networks.open();
    if (fault !== undefined) return fault;
    const folder = await mkdtemp(join(this.#parts.env.TMPDIR || tmpdir(), 'svc-try-'));
    try {
      return await this.#trial(folder);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #trial(folder: string): Promise<string | undefined> {
    const [root, tmp, report] = [join(folder, 'root'), join(folder, 'tmp'), join(folder, 'report')];
    for (const path of [root, tmp]) await mkdir(path);
    const user = this.#users?.take();
    const network = this.#networks.take();
    const paths = { root, report, folder: tmp, tools: [], own: [], tmp, covers: [], cwd: '/' };
    const plan = { sight: this.sight, user, network, ...paths };
    try {
      if (user !== undefined) await chown(tmp, user, user);
      await run(this.#program, [...planArguments(plan), '/bin/sh', '-c', ':'], {
        env: {},
        timeout: TRIAL_MS,
        killSignal: 'SIGKILL',
      });
      return undefined;
    } catch (error) {
      const line = await readFile(report, 'utf8').catch(() => '');
      return readReport(line)?.text ?? (error as Error).message.split('\n')[0];
    } finally {
      if (network !== undefined) await this.#networks.free([network]);
      if (user !== undefined) this.#users?.free(user);
    }
  }
}

/** What scripts start of the folders that they are shown. */
const PROGRAMS = ['svc', 'svc-attempt'];

async function readableByAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true }))
    if (entry.isDirectory() || entry.isFile()) {
      const path = join(entry.parentPath, entry.name);
      const runs = entry.isDirectory() || PROGRAMS.includes(entry.name);
      await chmod(path, runs ? 0o755 : 0o644);
    }
}
