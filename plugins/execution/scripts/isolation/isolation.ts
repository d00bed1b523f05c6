import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Ids } from '../../../../kernel/contracts/index.ts';
import type { ActivityHost, Assignment } from '../../agents/contract.ts';
import type { AgentEnvironment } from '../domain/environment.ts';
import { nativePrograms } from '../native/build.mjs';
import { NamespaceSandbox } from './namespace-sandbox.ts';
import { type Sandbox, HostSandbox } from './sandbox.ts';
import { type Network, Networks } from './network.ts';
import { planArguments, type MountPlanOptions, type MountPolicy, createMountPolicy } from './plan.ts';
import { readReport } from './report.ts';
import { UidPool } from './users.ts';
import type { RunUser, RunUsers } from '../users/run-users.ts';
import { UserSandbox } from '../users/user-sandbox.ts';

const run = promisify(execFile);
const TEST_TIMEOUT_MS = 10_000;

export interface IsolationDeps {
  env: AgentEnvironment;
  ids: Pick<Ids, 'bytes'>;
  /** The Node.js that runs scripts. */
  node: string;
  /** The folder `.svc` of this process; by default that of its working folder. */
  home?: string;
  /** The users whose processes trusted programs become; the agent's by default. */
  users?: RunUsers | undefined;
  /** False simulates a machine without the native program. */
  native?: boolean;
}

/** Where a sandbox is created. */
export interface SandboxLocation {
  runtime_dir: string;
  /** The folder of the pass. */
  folder: string;
  /** False if the pass creates the folder only where it is isolated. */
  folder_exists?: boolean;
  /** Folders of the agent that its scripts read. */
  tools: readonly string[];
}

/** Isolates programs from the rest of the machine by creating a sandbox for each pass. One for each agent. */
export class Isolation {
  readonly mount_policy: MountPolicy;
  readonly #deps: IsolationDeps;
  readonly #users: UidPool | undefined;
  readonly #networks: Networks;
  readonly #readable = new Map<string, Promise<void>>();
  #problem: Promise<string | undefined> | undefined;
  #program = '';

  constructor(deps: IsolationDeps) {
    this.#deps = deps;
    const extra = (deps.env.SVC_AGENT_SHOW ?? '').split(':').filter(Boolean);
    const home = deps.home ?? resolve('.svc');
    this.mount_policy = createMountPolicy({ env: deps.env, node: deps.node, extra, home });
    this.#users = process.getuid?.() === 0 ? new UidPool(deps.ids) : undefined;
    // The agent has validated it.
    this.#networks = new Networks((deps.env.SVC_AGENT_NETWORK || 'host') as Network);
  }

  /** Returns why this machine cannot isolate programs, or undefined. Determined once, by isolating one. */
  findProblem(): Promise<string | undefined> {
    this.#problem ??= this.#probe();
    return this.#problem;
  }

  isolates({ trusted }: Pick<Assignment, 'trusted'>, agent: ActivityHost['agent']): boolean {
    return !trusted || agent.isolate_all;
  }

  /**
   * Returns the user whose processes an assignment's programs become; undefined for the agent's, or that of a
   * sandbox.
   */
  async user(
    assignment: Pick<Assignment, 'trusted' | 'project_id'>,
    agent: ActivityHost['agent'],
  ): Promise<RunUser | undefined> {
    if (this.isolates(assignment, agent)) return undefined;
    return await this.#deps.users?.forRuntime(assignment.project_id, agent.runtime_dir);
  }

  /**
   * Returns a sandbox for untrusted work, and for all work if the agent isolates everything. For other work it
   * returns the folder of the project's user, or the agent's own. Throws if this machine cannot isolate.
   */
  async openSandbox(
    assignment: Pick<Assignment, 'trusted' | 'project_id'>,
    agent: ActivityHost['agent'],
    location: SandboxLocation,
  ): Promise<Sandbox> {
    if (this.isolates(assignment, agent)) return await this.#createNamespaceSandbox(location);
    const user = await this.user(assignment, agent);
    if (user === undefined) return new HostSandbox(agent.workdir);
    await this.#allowTraversal(agent, location);
    const folder = location.folder_exists === false ? undefined : location.folder;
    return await UserSandbox.create({ user, env: this.#deps.env, folder });
  }

  /** Lets others enter the agent's folders on the way to those of a pass, but not list them. */
  async #allowTraversal({ runtime_dir, memory_dir }: ActivityHost['agent'], { tools }: SandboxLocation): Promise<void> {
    for (const folder of [runtime_dir, memory_dir])
      if (folder !== undefined) await this.#oncePerFolder(folder, () => chmod(folder, 0o711));
    for (const folder of tools) await this.#makeReadable(folder);
  }

  async #createNamespaceSandbox(location: SandboxLocation): Promise<NamespaceSandbox> {
    const fault = await this.findProblem();
    if (fault !== undefined) throw new Error(`this agent cannot isolate: ${fault}`);
    const { runtime_dir, tools } = location;
    const [root, reports] = [join(runtime_dir, 'root'), join(runtime_dir, 'reports')];
    for (const folder of [root, reports]) await mkdir(folder, { recursive: true, mode: 0o700 });
    if (this.#users) for (const folder of tools) await this.#makeReadable(folder);
    const [program, sight, users, networks] = [this.#program, this.mount_policy, this.#users, this.#networks];
    return await NamespaceSandbox.create({ ...location, root, reports, program, mount_policy: sight, users, networks });
  }

  /** The agent's own folder hides it from everybody else. */
  #makeReadable(folder: string): Promise<void> {
    return this.#oncePerFolder(folder, () => makeWorldReadable(folder));
  }

  #oncePerFolder(folder: string, work: () => Promise<void>): Promise<void> {
    const started = this.#readable.get(folder) ?? work();
    this.#readable.set(folder, started);
    return started;
  }

  async #probe(): Promise<string | undefined> {
    if (process.platform !== 'linux') return `there are no namespaces on ${process.platform}`;
    const { programs, why } = this.#deps.native === false ? { programs: {}, why: undefined } : await nativePrograms();
    if (!programs.isolate) return `its native program was not compiled (${why ?? 'no C compiler'})`;
    this.#program = programs.isolate;
    const fault = await this.#networks.open();
    if (fault !== undefined) return fault;
    const folder = await mkdtemp(join(this.#deps.env.TMPDIR || tmpdir(), 'svc-try-'));
    try {
      return await this.#testIsolation(folder);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #testIsolation(folder: string): Promise<string | undefined> {
    const [root, tmp, report] = [join(folder, 'root'), join(folder, 'tmp'), join(folder, 'report')];
    for (const path of [root, tmp]) await mkdir(path);
    const user = this.#users?.allocate();
    const network = this.#networks.allocate();
    const plan: MountPlanOptions = {
      mount_policy: this.mount_policy,
      root,
      report,
      user,
      network,
      folder: tmp,
      tools: [],
      writable: [],
      tmp,
      covers: [],
      cwd: '/',
    };
    try {
      if (user !== undefined) await chown(tmp, user, user);
      await run(this.#program, [...planArguments(plan), '/bin/sh', '-c', ':'], {
        env: {},
        timeout: TEST_TIMEOUT_MS,
        killSignal: 'SIGKILL',
      });
      return undefined;
    } catch (error) {
      const line = await readFile(report, 'utf8').catch(() => '');
      return readReport(line)?.text ?? (error as Error).message.split('\n')[0];
    } finally {
      if (network !== undefined) await this.#networks.release([network]);
      if (user !== undefined) this.#users?.release(user);
    }
  }
}

/** Programs that scripts start from the folders shown to them. */
const PROGRAMS = ['svc', 'svc-attempt'];

async function makeWorldReadable(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true }))
    if (entry.isDirectory() || entry.isFile()) {
      const path = join(entry.parentPath, entry.name);
      const runs = entry.isDirectory() || PROGRAMS.includes(entry.name);
      await chmod(path, runs ? 0o755 : 0o644);
    }
}
