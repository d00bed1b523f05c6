import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { boot, type Kernel } from '../../../kernel/boot/index.ts';
import { Database } from '../../../kernel/contracts/index.ts';
import { Bootstrap } from '../../access/contract.ts';

const LEASE_MS = 6000;
const CLI = resolve(import.meta.dirname, '../../../cli/main.mjs');

interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers member by member
  json: any;
}

export async function untilAsync(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 25));
}

/** A real server in this process, and real agents as processes of their own. */
export class House {
  readonly home: string;
  readonly work: string;
  readonly #database_url: string;
  readonly #processes: ChildProcess[] = [];
  #kernel: Kernel | undefined;
  #port = '0';
  user = '';
  agent = '';

  constructor(home: string, database_url: string) {
    this.home = home;
    this.work = join(home, 'work');
    this.#database_url = database_url;
  }

  get kernel(): Kernel {
    return this.#kernel!;
  }

  async start(): Promise<void> {
    const env = {
      SVC_DATABASE_URL: this.#database_url,
      SVC_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      SVC_PORT: this.#port,
      SVC_LEASE_MS: String(LEASE_MS),
      SVC_LOG_LEVEL: 'silent',
    };
    this.#kernel = await boot({ role: 'server', env, settings: { home: this.home } });
    this.#port = new URL(this.#kernel.base_url()).port;
  }

  async settle(): Promise<void> {
    await mkdir(join(this.work, 'tmp'), { recursive: true });
    await this.start();
    const wanted = { user: 'olga', org: 'acme', project: 'main' };
    this.user = (await this.kernel.use(Bootstrap).ensure(wanted)).token;
    this.agent = (await this.call('POST', '/api/v1/tokens', { name: 'a', org: 'acme', kind: 'agent' })).json.token;
  }

  async call(method: string, path: string, body?: unknown, token = this.user): Promise<Answer> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const answer = await fetch(`${this.kernel.base_url()}${path}`, init);
    const text = await answer.text();
    return { status: answer.status, json: text === '' ? undefined : JSON.parse(text) };
  }

  spawnAgent(name: string, env: Record<string, string> = {}): ChildProcess & { said: string } {
    const child = spawn(process.execPath, [CLI, 'agent', '--name', name, '--slots', '4', '--workdir', this.work], {
      env: {
        PATH: process.env.PATH,
        TMPDIR: join(this.work, 'tmp'),
        SVC_URL: this.kernel.base_url(),
        SVC_TOKEN: this.agent,
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

  online(name: string): Promise<void> {
    return untilAsync(async () => (await this.agents()).some((one) => one.name === name && one.state === 'online'));
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

  finished(run_id: string): Promise<void> {
    return untilAsync(async () => ['succeeded', 'failed', 'cancelled'].includes((await this.run(run_id)).status));
  }

  async claims(run_id: string): Promise<{ state: string; epoch: number }[]> {
    return this.kernel.use(Database).read('SELECT state, epoch FROM runs_activities WHERE run_id = ?', [run_id]);
  }

  /** Runtime folders of agents. */
  async folders(): Promise<string[]> {
    return (await readdir(join(this.work, 'tmp'))).filter((name) => name.startsWith('svc-agent-'));
  }

  stopServer(): Promise<unknown> {
    return this.kernel.stop();
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
