import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ip = async (...args: string[]): Promise<string> => (await run('ip', args)).stdout;

/** What lies in namespaces and bridges is named after the process that owns it: `sg`, its pid, a letter. */
const OWNED = /^sg(\d+)[a-z]$/;
/** A neighbour that is nobody: what is sent to it is dropped on the way. */
const NOBODY = '02:00:00:00:00:01';

/**
 * Hosts on a bridge of their own, each in a network namespace, and this process as one more of them. All of it, the
 * processes in the namespaces and the folder go away with `close`, and when this process dies however it does.
 */
export class Network {
  /** For what the hosts keep. */
  readonly folder: string;
  readonly hosts: number;
  readonly #name: string;
  readonly #subnet: string;
  readonly #guard: ChildProcess;

  private constructor(name: string, folder: string, subnet: string, hosts: number) {
    this.#name = name;
    this.folder = folder;
    this.#subnet = subnet;
    this.hosts = hosts;
    this.#guard = guard(
      name,
      folder,
      Array.from({ length: hosts }, (_, host) => this.namespace(host)),
    );
  }

  static async open(hosts: number): Promise<Network> {
    await clearLeftOvers();
    const name = nextName();
    const folder = await mkdtemp(join(tmpdir(), `svc-galera-${name}-`));
    const network = new Network(name, folder, await freeSubnet(), hosts);
    try {
      await network.#build();
    } catch (error) {
      await network.close();
      throw error;
    }
    return network;
  }

  namespace(host: number): string {
    return `${this.#name}${host}`;
  }

  address(host: number): string {
    return `${this.#subnet}.${host + 1}`;
  }

  /** A program and its arguments as they run on a host. */
  on(host: number, ...command: string[]): string[] {
    return ['ip', 'netns', 'exec', this.namespace(host), ...command];
  }

  /** SIGKILL for everything that runs on a host; resolves when none of it is left. */
  async killAll(host: number): Promise<void> {
    for (;;) {
      const pids = (await ip('netns', 'pids', this.namespace(host))).split('\n').filter(Boolean).map(Number);
      if (pids.length === 0) return;
      for (const pid of pids) killOne(pid);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** From now on packets between two hosts are dropped, both ways. */
  async cut(a: number, b: number): Promise<void> {
    await Promise.all([this.#deafen(a, b), this.#deafen(b, a)]);
  }

  async mend(a: number, b: number): Promise<void> {
    await Promise.all([this.#hear(a, b), this.#hear(b, a)]);
  }

  /** The guard takes everything away, here as after a crash, so that there is one way for it. */
  async close(): Promise<void> {
    if (this.#guard.exitCode !== null) return;
    const gone = once(this.#guard, 'exit');
    this.#guard.ref();
    this.#guard.stdin?.end();
    await gone;
  }

  async #build(): Promise<void> {
    await ip('link', 'add', this.#name, 'type', 'bridge');
    await ip('addr', 'add', `${this.#subnet}.254/24`, 'dev', this.#name);
    await ip('link', 'set', this.#name, 'up');
    for (let host = 0; host < this.hosts; host += 1) await this.#addHost(host);
  }

  async #addHost(host: number): Promise<void> {
    const space = this.namespace(host);
    await ip('netns', 'add', space);
    await ip('link', 'add', space, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', space);
    await ip('link', 'set', space, 'master', this.#name, 'up');
    await ip('-n', space, 'addr', 'add', `${this.address(host)}/24`, 'dev', 'eth0');
    await ip('-n', space, 'link', 'set', 'eth0', 'up');
    await ip('-n', space, 'link', 'set', 'lo', 'up');
  }

  async #deafen(from: number, to: number): Promise<void> {
    const entry = ['lladdr', NOBODY, 'dev', 'eth0', 'nud', 'permanent'];
    await ip('-n', this.namespace(from), 'neigh', 'replace', this.address(to), ...entry);
  }

  async #hear(from: number, to: number): Promise<void> {
    // It may be whole already.
    await ip('-n', this.namespace(from), 'neigh', 'del', this.address(to), 'dev', 'eth0').catch(() => undefined);
  }
}

let networks = 0;
function nextName(): string {
  networks += 1;
  return `sg${process.pid}${String.fromCharCode(96 + (networks % 26 || 26))}`;
}

function killOne(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** A private range that nothing on this machine has or has a way to. */
async function freeSubnet(): Promise<string> {
  const taken = (await ip('-4', '-o', 'addr')) + (await ip('-4', 'route'));
  for (;;) {
    const subnet = `10.${128 + Math.floor(Math.random() * 127)}.${Math.floor(Math.random() * 256)}`;
    if (!taken.includes(` ${subnet}.`)) return subnet;
  }
}

const CLEAR = `
bridge=$1; folder=$2; shift 2
for space in "$@"; do
  while pids=$(ip netns pids "$space") && [ -n "$pids" ]; do kill -9 $pids; sleep 0.02; done
  ip netns del "$space"
done
ip link del "$bridge"
rm -rf "$folder"
`;

/** Takes all away when its standard input ends, which it does when this process closes it or dies. */
function guard(name: string, folder: string, spaces: string[]): ChildProcess {
  const child = spawn('sh', ['-c', `cat > /dev/null; exec 2> /dev/null; ${CLEAR}`, 'guard', name, folder, ...spaces], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  child.unref();
  (child.stdin as Socket).unref();
  return child;
}

/** What a former owner left whose guard died with it. */
async function clearLeftOvers(): Promise<void> {
  const links = JSON.parse((await ip('-j', 'link', 'show', 'type', 'bridge')) || '[]') as { ifname?: string }[];
  for (const { ifname = '' } of links) {
    const pid = OWNED.exec(ifname)?.[1];
    if (pid === undefined || (await readdir(`/proc/${pid}`).catch(() => undefined))) continue;
    // Its guard may be at it at this moment: then these find nothing.
    const spaces = (await ip('netns', 'list')).split('\n').map((line) => line.split(' ')[0] ?? '');
    const own = spaces.filter((space) => space.startsWith(ifname));
    await run('sh', ['-c', `exec 2> /dev/null; ${CLEAR}`, 'clear', ifname, '', ...own]);
    const folders = (await readdir(tmpdir())).filter((one) => one.startsWith(`svc-galera-${ifname}-`));
    for (const one of folders) await rm(join(tmpdir(), one), { recursive: true, force: true });
  }
}
