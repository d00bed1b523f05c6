import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Test } from 'tap';
import { Database } from '../../../../kernel/contracts/index.ts';
import { Bootstrap } from '../../../security/access/contract.ts';
import {
  type Answer,
  boot,
  openTestDatabase,
  type Store,
  type TestDatabase,
  type TestServer,
  until,
} from '../../../../test/kit/index.ts';

const LEASE_MS = 6000;
const CLI = resolve(import.meta.dirname, '../../../../cli/main.mjs');

/** A server in this process, and agents as separate processes. */
export class AgentProcesses {
  readonly home: string;
  readonly work: string;
  readonly #database: TestDatabase;
  readonly #processes: ChildProcess[] = [];
  #server: TestServer | undefined;
  #port = 0;
  user = '';
  agent = '';

  readonly #env: Record<string, string>;

  constructor(home: string, database: TestDatabase, env: Record<string, string> = {}) {
    this.#env = env;
    this.home = home;
    this.work = join(home, 'work');
    this.#database = database;
  }

  /** Has its own database and folder, which are removed after the test. */
  static async opened(t: Test, { store = 'sqlite', env }: { store?: Store; env?: Record<string, string> } = {}) {
    const database = await openTestDatabase(store);
    const home = await mkdtemp(join(tmpdir(), 'agents-'));
    // Users of projects pass through it.
    await chmod(home, 0o711);
    const machine = new AgentProcesses(home, database, env);
    t.teardown(async () => {
      await machine.stop();
      await database.drop();
      await rm(home, { recursive: true });
    });
    await machine.open();
    return machine;
  }

  get server(): TestServer {
    return this.#server!;
  }

  /** Starts the server, on the same port if it was stopped before. */
  async start(lease_ms = LEASE_MS): Promise<void> {
    const settings = { home: this.home, port: this.#port, lease_ms };
    this.#server = await boot({ database: this.#database, access: 'empty', settings, env: this.#env });
    this.#port = Number(new URL(this.#server.url).port);
  }

  async open(): Promise<void> {
    await mkdir(join(this.work, 'tmp'), { recursive: true });
    await this.start();
    const wanted = { user: 'olga', org: 'acme', project: 'main' };
    this.user = (await this.server.use(Bootstrap).ensure(wanted)).token;
    this.agent = (await this.call('POST', '/api/v1/tokens', { name: 'a', org: 'acme', kind: 'agent' })).json.token;
  }

  call(method: string, path: string, body?: unknown, token = this.user): Promise<Answer> {
    return this.server.call(token, `${method} ${path}`, body);
  }

  spawnAgent(name: string, env: Record<string, string> = {}): ChildProcess & { said: string } {
    const child = spawn(process.execPath, [CLI, 'agent', '--name', name, '--slots', '4', '--workdir', this.work], {
      env: {
        PATH: process.env.PATH,
        TMPDIR: join(this.work, 'tmp'),
        SVC_URL: this.server.url,
        SVC_TOKEN: this.agent,
        SVC_AGENT_ALLOW_ROOT: 'on',
        SVC_DRAIN_GRACE: '0s',
        ...env,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    }) as unknown as ChildProcess & { said: string };
    child.said = '';
    child.stderr!.on('data', (data: Buffer) => {
      child.said += data.toString();
    });
    this.#processes.push(child);
    return child;
  }

  async agents(): Promise<{ name: string; state: string; org: string; capabilities: string[] }[]> {
    return (await this.call('GET', '/api/v1/agents')).json.agents;
  }

  online(name: string): Promise<true> {
    return until(async () => (await this.agents()).some((one) => one.name === name && one.state === 'online'));
  }

  async submit(source: string): Promise<string> {
    const { json } = await this.call('POST', '/api/v1/orgs/acme/projects/main/runs', { filename: 'job.sh', source });
    return json.run_id;
  }

  async steps(run_id: string): Promise<string[]> {
    const { json } = await this.call('GET', `/api/v1/orgs/acme/projects/main/runs/${run_id}/steps`);
    return json.steps.map((step: { name: string }) => step.name).sort();
  }

  async run(run_id: string): Promise<{ status: string; error: { code: string; message: string } | null }> {
    return (await this.call('GET', `/api/v1/orgs/acme/projects/main/runs/${run_id}`)).json;
  }

  finished(run_id: string): Promise<true> {
    return until(async () => ['succeeded', 'failed', 'cancelled'].includes((await this.run(run_id)).status));
  }

  async claims(run_id: string): Promise<{ state: string; epoch: number }[]> {
    return this.server.use(Database).read('SELECT state, epoch FROM runs_activities WHERE run_id = ?', [run_id]);
  }

  /** Runtime folders of agents. */
  async folders(): Promise<string[]> {
    return (await readdir(join(this.work, 'tmp'))).filter((name) => name.startsWith('svc-agent-'));
  }

  stopServer(): Promise<void> {
    return this.server.close();
  }

  async stop(): Promise<void> {
    for (const child of this.#processes) {
      child.kill('SIGKILL');
      await exitOf(child);
    }
    await this.stopServer();
  }
}

export async function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await new Promise((done) => child.once('exit', done));
  return child.exitCode;
}
