/**
 * Three Galera nodes for tests: real ones, each in a network namespace of its own, joined by a bridge. Needs root.
 *
 *     const cluster = await startGalera();          // or { reason } where the machine cannot
 *     if ('reason' in cluster) return t.comment(cluster.reason);
 *     const url = await cluster.createDatabase();   // its name, on every node
 *     cluster.url(0, name);                         // mysql://svc@10.…:3306/<name>; 0, 1 and 2 are one database
 *     await cluster.kill9(1);                       // SIGKILL
 *     await cluster.restart(1);                     // resolves when it has all that the others have
 *     await cluster.partition(0, 2);                // packets between them are dropped; 1 and this process reach both
 *     await cluster.isolate(2);                     // cut off from both others, but not from this process
 *     await cluster.heal();
 *     await cluster.close();                        // processes, namespaces, bridge and data; also when we are killed
 *
 * By hand: `node test/cluster/nodes.ts` starts three, prints their URLs and ends them at SIGINT or SIGTERM.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { accessSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { NoServer } from '../support/mysql-server.ts';
import { GaleraNode } from './galera-node.ts';
import { Network } from './network.ts';

const run = promisify(execFile);

/** Three nodes, or what the machine lacks for them. */
export async function startGalera(): Promise<Galera | NoServer> {
  const lacking = await whatLacks();
  return lacking === undefined ? Galera.start(3) : { reason: lacking };
}

export class Galera {
  readonly nodes: readonly GaleraNode[];
  readonly #network: Network;

  private constructor(network: Network) {
    this.#network = network;
    this.nodes = Array.from({ length: network.hosts }, (_, index) => new GaleraNode(network, index));
  }

  static async start(count: number): Promise<Galera> {
    const cluster = new Galera(await Network.open(count));
    try {
      await cluster.#install();
      const [first, ...others] = cluster.nodes;
      first!.start({ first: true });
      await first!.synced();
      for (const node of others) node.start();
      for (const node of others) await node.synced();
    } catch (error) {
      await cluster.close();
      throw error;
    }
    return cluster;
  }

  url(node: number, database = ''): string {
    return `${this.nodes[node]!.url}${database === '' ? '' : `/${database}`}`;
  }

  /** An empty database with a random name; answers the name. It goes with the cluster. */
  async createDatabase(): Promise<string> {
    const name = `svc_${randomBytes(4).toString('hex')}`;
    await this.nodes[0]!.use((connection) =>
      connection.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`),
    );
    return name;
  }

  async kill9(node: number): Promise<void> {
    await this.nodes[node]!.kill9();
  }

  /** It comes back by what the others kept (IST), or by a copy (SST); resolves when it is synced. */
  async restart(node: number): Promise<void> {
    await this.nodes[node]!.startAgain();
    await this.nodes[node]!.synced();
  }

  /** What an operator does when the nodes that are left count as a minority: this one is the cluster from now on. */
  async declarePrimary(node: number): Promise<void> {
    await this.nodes[node]!.use((connection) =>
      connection.query("SET GLOBAL wsrep_provider_options = 'pc.bootstrap=YES'"),
    );
  }

  /** Resolves when every node that runs is synced and counts `members`. */
  async whole(members = this.nodes.length, bound_ms = 90_000): Promise<void> {
    const until = Date.now() + bound_ms;
    const running = this.nodes.filter((node) => node.running);
    for (const node of running)
      for (;;) {
        await node.synced(Math.max(1, until - Date.now()));
        if ((await node.status()).wsrep_cluster_size === String(members)) break;
        if (Date.now() > until) throw new Error(`node ${node.index} does not count ${members} members`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
  }

  async partition(a: number, b: number): Promise<void> {
    await this.#network.cut(a, b);
  }

  /** Cut off from all other nodes; its own clients reach it still. */
  async isolate(node: number): Promise<void> {
    for (const { index } of this.nodes) if (index !== node) await this.#network.cut(node, index);
  }

  async heal(): Promise<void> {
    for (const a of this.nodes)
      for (const b of this.nodes) if (a.index < b.index) await this.#network.mend(a.index, b.index);
  }

  async close(): Promise<void> {
    await this.#network.close();
  }

  /** The first node's data; the others get theirs from it. */
  async #install(): Promise<void> {
    const { folder } = this.#network;
    const sql = join(folder, 'users.sql');
    await writeFile(sql, "FLUSH PRIVILEGES;\nCREATE USER svc@'%';\nGRANT ALL ON *.* TO svc@'%' WITH GRANT OPTION;\n");
    await chmod(folder, 0o755);
    for (const node of this.nodes) await mkdir(node.data);
    const options = ['--skip-test-db', '--auth-root-authentication-method=normal', '--user=mysql'];
    const data = `--datadir=${this.nodes[0]!.data}`;
    await run('mariadb-install-db', ['--no-defaults', data, ...options, `--extra-file=${sql}`]);
    // rsync receives as nobody when root starts it, so the nodes run as Debian's user for them.
    await run('chown', ['-R', 'mysql:mysql', folder]);
  }
}

const PROGRAMS = { mariadbd: 'mariadb-server', 'mariadb-install-db': 'mariadb-server', rsync: 'rsync', ip: 'iproute2' };

/** Why three nodes cannot run here; undefined when they can. */
async function whatLacks(): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'network namespaces need root on Linux';
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  const missing = new Set<string>();
  for (const [program, packaged] of Object.entries(PROGRAMS))
    if (!folders.some((folder) => isThere(join(folder, program)))) missing.add(packaged);
  if (!isThere('/usr/lib/galera/libgalera_smm.so')) missing.add('galera-4');
  if (missing.size > 0) return `a Galera cluster needs ${[...missing].join(', ')} (apt-get install)`;
  return namespacesWork();
}

async function namespacesWork(): Promise<string | undefined> {
  try {
    await (await Network.open(1)).close();
    return undefined;
  } catch (error) {
    return `network namespaces do not work here: ${(error as Error).message.trim()}`;
  }
}

function isThere(path: string): boolean {
  try {
    accessSync(path);
    return true;
  } catch {
    return false;
  }
}
