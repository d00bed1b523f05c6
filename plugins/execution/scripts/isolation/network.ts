import { existsSync } from 'node:fs';
import { readdir, readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isProcessAlive } from '../../agents/contract.ts';

/** Values of `SVC_AGENT_NETWORK`. */
export const NETWORKS = ['host', 'loopback-denied', 'none'] as const;
export type Network = (typeof NETWORKS)[number];

const PREFIX = 'svc-isolated-';

/**
 * What isolated programs can reach of the network. Programs that may not reach this machine get a control group each.
 */
export class Networks {
  readonly #network: Network;
  #folder: string | undefined;
  #count = 0;
  /** Groups that the kernel has not released yet. */
  #unreleased: string[] = [];

  constructor(network: Network) {
    this.#network = network;
  }

  /**
   * Returns why this machine cannot do what the setting requires, or undefined. Removes what killed agents left
   * behind.
   */
  async open(): Promise<string | undefined> {
    if (this.#network !== 'loopback-denied') return undefined;
    const why = '; use "none" or "host" for SVC_AGENT_NETWORK, or start the agent as root on such a machine';
    if (process.getuid?.() !== 0)
      return `only an agent that runs as root can block this machine's own addresses for programs${why}`;
    this.#folder = await findOwnCgroup();
    if (this.#folder === undefined) return `control groups version 2 are not available${why}`;
    await sweep(this.#folder);
    return undefined;
  }

  /**
   * Returns a control group for the native program, to be passed to `free`; undefined if the program uses the network
   * of this machine.
   */
  allocate(): string | undefined {
    if (this.#network === 'host') return undefined;
    if (this.#folder === undefined) return 'none';
    return join(this.#folder, `${PREFIX}${process.pid}-${this.#count++}`);
  }

  /**
   * Must be called after the last program has ended. A group that is still busy is removed with a later one, or by
   * the next agent.
   */
  async release(allocated: readonly string[]): Promise<void> {
    const groups = [...this.#unreleased, ...allocated.filter((group) => group !== 'none')];
    this.#unreleased = [];
    for (const group of groups)
      await rmdir(group).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') this.#unreleased.push(group);
      });
  }
}

/** Returns the folder of this process's own control group, or undefined without version 2. */
async function findOwnCgroup(): Promise<string | undefined> {
  const read = (file: string) => readFile(`/proc/self/${file}`, 'utf8').catch(() => '');
  const [mounts, groups] = await Promise.all([read('mountinfo'), read('cgroup')]);
  const mount = mounts.split('\n').find((line) => / - cgroup2 /.test(line));
  const own_path = /^0::(\/.*)$/m.exec(groups)?.[1];
  const [, , , root = '', point] = mount?.split(' ') ?? [];
  if (point === undefined || own_path === undefined) return undefined;
  const base = root === '/' ? '' : root;
  // A mount may show only some of the groups.
  if (own_path !== base && !own_path.startsWith(`${base}/`)) return undefined;
  const folder = join(unescaped(point), own_path.slice(base.length));
  return existsSync(join(folder, 'cgroup.procs')) ? folder : undefined;
}

/** Decodes spaces and the like as the kernel writes them. */
const unescaped = (path: string) =>
  path.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));

async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = name.startsWith(PREFIX) ? Number.parseInt(name.slice(PREFIX.length), 10) : Number.NaN;
    if (Number.isNaN(pid) || pid === process.pid || isProcessAlive(pid)) continue;
    await rmdir(join(folder, name)).catch((error: NodeJS.ErrnoException) => {
      // Another agent removed it, or its processes are still ending; the next attempt removes it.
      if (error.code !== 'ENOENT' && error.code !== 'EBUSY') throw error;
    });
  }
}
