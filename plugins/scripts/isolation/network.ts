import { existsSync } from 'node:fs';
import { readdir, readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';

/** What `SVC_AGENT_NETWORK` says. */
export const NETWORKS = ['host', 'loopback-denied', 'none'] as const;
export type Network = (typeof NETWORKS)[number];

const PREFIX = 'svc-isolated-';

/** What isolated programs have of the network. Programs that may not reach this machine get a control group each. */
export class Networks {
  readonly #network: Network;
  #folder: string | undefined;
  #count = 0;
  /** Groups that the kernel did not let go yet. */
  #left: string[] = [];

  constructor(network: Network) {
    this.#network = network;
  }

  /** Why this machine cannot do what the setting says; undefined when it may. Removes what killed agents left. */
  async open(): Promise<string | undefined> {
    if (this.#network !== 'loopback-denied') return undefined;
    const why = '; use "none" or "host" for SVC_AGENT_NETWORK, or start the agent as root on such a machine';
    if (process.getuid?.() !== 0)
      return `only an agent that is root can keep programs from this machine's own addresses${why}`;
    this.#folder = await ownGroup();
    if (this.#folder === undefined) return `there are no control groups of version 2${why}`;
    await sweep(this.#folder);
    return undefined;
  }

  /** For the native program; `free` takes what this answers. Undefined: it has the network of this machine. */
  take(): string | undefined {
    if (this.#network === 'host') return undefined;
    if (this.#folder === undefined) return 'none';
    return join(this.#folder, `${PREFIX}${process.pid}-${this.#count++}`);
  }

  /** After the last program has ended. One that is still busy is removed with a later one, or by the next agent. */
  async free(taken: readonly string[]): Promise<void> {
    const groups = [...this.#left, ...taken.filter((group) => group !== 'none')];
    this.#left = [];
    for (const group of groups)
      await rmdir(group).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') this.#left.push(group);
      });
  }
}

/** The folder of this process's own control group. Undefined where there is none of version 2. */
async function ownGroup(): Promise<string | undefined> {
  const read = (file: string) => readFile(`/proc/self/${file}`, 'utf8').catch(() => '');
  const [mounts, groups] = await Promise.all([read('mountinfo'), read('cgroup')]);
  const mount = mounts.split('\n').find((line) => / - cgroup2 /.test(line));
  const own = /^0::(\/.*)$/m.exec(groups)?.[1];
  const [, , , root = '', point] = mount?.split(' ') ?? [];
  if (point === undefined || own === undefined) return undefined;
  const base = root === '/' ? '' : root;
  // A mount may show a part of the groups only.
  if (own !== base && !own.startsWith(`${base}/`)) return undefined;
  const folder = join(unescaped(point), own.slice(base.length));
  return existsSync(join(folder, 'cgroup.procs')) ? folder : undefined;
}

/** As the kernel writes spaces and the like. */
const unescaped = (path: string) =>
  path.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));

async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = name.startsWith(PREFIX) ? Number.parseInt(name.slice(PREFIX.length), 10) : Number.NaN;
    if (Number.isNaN(pid) || pid === process.pid || isAlive(pid)) continue;
    await rmdir(join(folder, name)).catch((error: NodeJS.ErrnoException) => {
      // Another agent did it, or what is in it still ends: the next one tries again.
      if (error.code !== 'ENOENT' && error.code !== 'EBUSY') throw error;
    });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
