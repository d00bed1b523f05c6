import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Service } from '../../features/support/process.ts';
import { startTarget, type Target } from '../../features/support/target.ts';
import { type Access, Client, type Complaints } from './client.ts';
import type { Galera } from './galera.ts';
import { brokenOnNodes } from './verdict.ts';

export interface PlaceOptions {
  /** The node of each server. */
  servers: readonly number[];
  /** Agents; the nth works for the nth server, and so on round. */
  agents: number;
  nats_url?: string | undefined;
  env?: Record<string, string>;
}

interface Server {
  node: number;
  url: string;
  service: Service;
}

/** Servers on nodes of a cluster, and agents, as processes of their own on one new database. */
export class ClusterPlace {
  /** Those of this process, for whoever must end it early. */
  static readonly #open = new Set<ClusterPlace>();
  readonly cluster: Galera;
  readonly database: string;
  readonly servers: Server[] = [];
  readonly complaints: Complaints = { busy: 0 };
  readonly #target: Target;
  readonly #told = new Set<string>();
  #agents = 0;

  private constructor(cluster: Galera, database: string, target: Target) {
    this.cluster = cluster;
    this.database = database;
    this.#target = target;
  }

  static async open(cluster: Galera, options: PlaceOptions): Promise<ClusterPlace> {
    const database = await cluster.createDatabase();
    const [first = 0, ...others] = options.servers;
    const wake: Record<string, string> = options.nats_url ? { SVC_WAKE_URL: options.nats_url } : {};
    const target = await startTarget({
      agents: 0,
      database_url: cluster.url(first, database),
      env: { SVC_RATE_LIMIT: 'off', ...wake, ...options.env },
    });
    const place = new ClusterPlace(cluster, database, target);
    ClusterPlace.#open.add(place);
    try {
      place.servers.push({ node: first, url: target.base_url, service: target.own!.server });
      for (const node of others) place.servers.push({ node, ...(await place.#start(node, '0')) });
      for (let index = 0; index < options.agents; index += 1) await place.#startAgent(index);
    } catch (error) {
      await place.close();
      throw error;
    }
    return place;
  }

  /** Where scripts note what they did. */
  ledger(name: string): string {
    return `${this.#target.own!.folder}/ledger-${name}`;
  }

  get agents(): number {
    return this.#target.own!.agents.length;
  }

  /** Of processes: servers first. */
  get pids(): number[] {
    return [...this.servers.map(({ service }) => service), ...this.#target.own!.agents].map(({ child }) => child.pid!);
  }

  /** A client of the nth server alone. */
  at(server: number): Client {
    return this.#client([this.servers[server % this.servers.length]!.url]);
  }

  /** A client of whichever server answers, asked in turn from the nth. */
  anywhere(from = 0): Client {
    const urls = this.servers.map(({ url }) => url);
    return this.#client([...urls.slice(from % urls.length), ...urls.slice(0, from % urls.length)]);
  }

  /** SIGKILL. */
  async killServer(index: number): Promise<void> {
    await this.servers[index]!.service.kill('SIGKILL');
  }

  async restartServer(index: number): Promise<void> {
    const server = this.servers[index]!;
    const { service } = await this.#start(server.node, new URL(server.url).port);
    server.service = service;
    if (index === 0) this.#target.own!.server = service;
  }

  /** SIGKILL for one agent; another takes its place. */
  async strikeAgent(index: number): Promise<void> {
    const [agent] = this.#target.own!.agents.splice(index, 1);
    await agent?.kill('SIGKILL');
    await this.#startAgent(index);
  }

  /** What breaks the invariants on the nodes and was not told by an earlier call. */
  async newlyBroken(): Promise<string[]> {
    const broken = await brokenOnNodes(this.cluster, this.database);
    const fresh = broken.filter((line) => !this.#told.has(line));
    for (const line of fresh) this.#told.add(line);
    return fresh;
  }

  /** Ends all processes, so that nobody writes any more; the folder and the database stay. */
  async stopAll(): Promise<void> {
    for (const agent of this.#target.own!.agents) await agent.kill('SIGTERM');
    for (const { service } of this.servers) await service.kill('SIGTERM');
  }

  static async closeAll(): Promise<void> {
    for (const place of ClusterPlace.#open) await place.close();
  }

  async close(): Promise<void> {
    ClusterPlace.#open.delete(this);
    for (const { service } of this.servers.slice(1)) await service.kill('SIGTERM');
    await this.#target.close();
  }

  /** The last of what a server said, for a failure that nobody else explains. */
  logs(length: number): string {
    return this.servers.map(({ node, service }) => `server on node ${node}:\n${service.log.slice(-length)}`).join('\n');
  }

  #start(node: number, port: string): Promise<{ service: Service; url: string }> {
    const own = this.#target.own!;
    own.env.SVC_DATABASE_URL = this.cluster.url(node, this.database);
    return own.startServer(port);
  }

  async #startAgent(server: number): Promise<void> {
    this.#agents += 1;
    const index = server % this.servers.length;
    // A script works in its agent's folder, so that what it notes can say which server it belongs to.
    const cwd = join(this.#target.own!.folder, `server-${index}`);
    await mkdir(cwd, { recursive: true });
    await this.#target.own!.startAgent(`agent-${this.#agents}`, { url: this.servers[index]!.url, cwd });
  }

  #client(urls: readonly string[]): Client {
    const { token, org } = this.#target;
    const access: Access = { token, org, project: 'main' };
    return new Client(urls, access, this.complaints);
  }
}
