import { randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { runToEnd, Service, until } from '../../features/support/process.ts';
import { fillFromTemplate } from '../kit/templates.ts';
import { Api } from './api.ts';
import { homeFolder } from '../../features/support/home.ts';

export const clone = resolve(import.meta.dirname, '../..');
export const svcProgram = join(clone, 'cli/svc');

export interface PlaceOptions {
  /** Default: a SQLite file in the place's folder. */
  database_url?: string;
  servers?: number;
  agents?: number;
  slots?: number;
  /** Of the servers, beside what each needs. */
  env?: Record<string, string>;
  /** The same of the agents. */
  agent_env?: Record<string, string>;
}

/** Servers and agents as processes of their own, as an operator starts them, on a folder that goes away. */
export class Place {
  readonly folder: string;
  readonly servers: { service: Service; url: string }[] = [];
  readonly agents: Service[] = [];
  readonly #env: Record<string, string>;
  readonly #agent_env: Record<string, string>;
  #token = '';
  #agent_token = '';

  private constructor(folder: string, { database_url, env, agent_env = {} }: PlaceOptions) {
    this.folder = folder;
    this.#agent_env = agent_env;
    this.#env = {
      ...plainEnvironment(folder),
      SVC_DATABASE_URL: database_url ?? `sqlite:${join(folder, 'svc.db')}`,
      SVC_MASTER_KEY: randomBytes(32).toString('base64'),
      SVC_PORT: '0',
      SVC_LOG_LEVEL: 'warn',
      // One client asks more here in a second than people do in an hour.
      SVC_RATE_LIMIT: 'off',
      ...env,
    };
  }

  static async open(options: PlaceOptions = {}): Promise<Place> {
    const { servers = 1, agents = 1, slots } = options;
    const place = new Place(await homeFolder('svc-bench-'), options);
    try {
      await place.#bootstrap();
      for (let index = 0; index < servers; index += 1) await place.#startServer();
      place.#agent_token = await place.api().agentToken('bench');
      for (let index = 0; index < agents; index += 1) await place.#startAgent(index, slots);
      await until(`${agents} agents to be online`, 20_000, async () =>
        (await place.api().agentsOnline()) >= agents ? true : undefined,
      );
      return place;
    } catch (error) {
      await place.close();
      throw error;
    }
  }

  get agent_token(): string {
    return this.#agent_token;
  }

  /** A client of the nth server, with connections of its own. */
  api(server = 0): Api {
    return new Api(this.servers[server]!.url, this.#token, 'bench', 'main');
  }

  async close(): Promise<void> {
    await Promise.all(this.agents.map((agent) => agent.kill('SIGTERM')));
    await Promise.all(this.servers.map(({ service }) => service.kill('SIGTERM')));
    await rm(this.folder, { recursive: true, force: true });
  }

  async #bootstrap(): Promise<void> {
    const args = ['admin', 'bootstrap', '--org', 'bench', '--project', 'main', '--user', 'bench', '--json'];
    await fillFromTemplate({ url: this.#env.SVC_DATABASE_URL! });
    const made = await runToEnd(svcProgram, args, { env: this.#env, cwd: this.folder });
    if (made.exit !== 0) throw new Error(`bootstrap failed: ${made.stderr}`);
    this.#token = (JSON.parse(made.stdout) as { token: string }).token;
  }

  async #startServer(): Promise<void> {
    const service = new Service(svcProgram, ['serve'], { env: this.#env, cwd: this.folder });
    const [, url = ''] = await service.says(/svc serve is ready: (\S+)/);
    this.servers.push({ service, url });
  }

  async #startAgent(index: number, slots = availableParallelism() * 4): Promise<void> {
    const server = this.servers[index % this.servers.length]!;
    const args = ['agent', '--name', `agent-${index}`, '--slots', String(slots)];
    const env = { ...plainEnvironment(this.folder), SVC_URL: server.url, SVC_TOKEN: this.#agent_token };
    const agent = new Service(svcProgram, args, {
      env: { ...env, SVC_LOG_LEVEL: 'warn', SVC_AGENT_ALLOW_ROOT: 'on', ...this.#agent_env },
      cwd: this.folder,
    });
    this.agents.push(agent);
    await agent.says(/svc agent works for/);
  }
}

/** Nothing of the caller's but what programs need: `NODE_EXTRA_CA_CERTS` alone would double the start of Node. */
export function plainEnvironment(home: string): Record<string, string> {
  const { PATH = '', LANG = 'C.UTF-8', SVC_BENCH_NODE_OPTIONS: NODE_OPTIONS } = process.env;
  return { PATH, LANG, HOME: home, TMPDIR: tmpdir(), ...(NODE_OPTIONS ? { NODE_OPTIONS } : {}) };
}

/** Bytes of a process that are resident. */
export async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
  if (kib === undefined) throw new Error(`no resident size of process ${pid}`);
  return Number(kib) * 1024;
}

/** The same with pages that several processes share, such as the program file of Node, counted in part to each. */
export async function proportionalBytes(pid: number): Promise<number> {
  const sums = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
  const [, kib] = /^Pss:\s+(\d+) kB$/m.exec(sums) ?? [];
  if (kib === undefined) throw new Error(`no proportional size of process ${pid}`);
  return Number(kib) * 1024;
}
