import { rm, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { compiledCode } from './home.ts';
import { Service } from './process.ts';

/** The server that agents join. */
export interface Joined {
  base_url: string;
  /** Of an owner of the org. */
  token: string;
  org: string;
}

export interface AgentOptions {
  /** Default `agent`; `worker` serves the files in `args`. */
  command?: 'agent' | 'worker';
  args?: string[];
  env?: Record<string, string>;
  cwd?: string;
  url?: string;
}

/** Of processes that are started here. */
export const processEnvironment = (): Record<string, string> => {
  const { PATH = '', LANG = 'C.UTF-8', SVC_AGENT_WARM = '' } = process.env;
  // Far ends of scenarios are at this address.
  return { PATH, LANG, TERM: 'dumb', SVC_EGRESS_ALLOW: '127.0.0.1', SVC_AGENT_WARM, ...compiledCode() };
};

/**
 * Agents that are started on this machine, as an operator would, for whatever server. They share a token that is made when
 * the first one needs it.
 */
export class Agents {
  readonly started: Service[] = [];
  /** Beyond the machine's environment. */
  readonly env: Record<string, string>;
  readonly #server: () => Joined;
  readonly #folder: string;
  readonly #svc: string;
  #made: Promise<{ id: string; token: string }> | undefined;

  constructor(svc: string, folder: string, server: () => Joined, env: Record<string, string> = {}) {
    this.#svc = svc;
    this.#folder = folder;
    this.#server = server;
    this.env = env;
  }

  async start(
    name: string,
    { command = 'agent', args = [], env, cwd = this.#folder, url }: AgentOptions = {},
  ): Promise<Service> {
    const token_file = join(this.#folder, `${name}.token`);
    this.#made ??= this.#makeToken();
    await writeFile(token_file, (await this.#made).token, { mode: 0o600 });
    const words = [command, '--name', name, '--slots', '16', '--token-file', token_file, ...args];
    const agent = new Service(this.#svc, words, {
      cwd,
      env: {
        ...processEnvironment(),
        HOME: this.#folder,
        // Tests may be run as root, and each scenario has a project of its own.
        SVC_AGENT_ALLOW_ROOT: 'on',
        ...this.env,
        SVC_URL: url ?? this.#server().base_url,
        SVC_LOG_LEVEL: 'warn',
        ...env,
      },
    });
    this.started.push(agent);
    await agent.says(command === 'agent' ? /svc agent works for/ : /svc worker serves/);
    return agent;
  }

  async stop(agent: Service): Promise<void> {
    if (agent.running) agent.child.kill('SIGCONT');
    await agent.kill('SIGTERM');
    const index = this.started.indexOf(agent);
    if (index >= 0) this.started.splice(index, 1);
  }

  /** For a server that goes on: nothing of the agents stays, and nothing in the folder. */
  async leave(): Promise<void> {
    for (const agent of [...this.started]) await this.stop(agent);
    const made = await this.#made?.catch(() => undefined);
    if (made) await this.#ask('DELETE', `/api/v1/tokens/${made.id}`);
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #makeToken(): Promise<{ id: string; token: string }> {
    const body = { name: `agents-${randomBytes(4).toString('hex')}`, kind: 'agent', org: this.#server().org };
    const response = await this.#ask('POST', '/api/v1/tokens', body);
    if (response.status !== 201) throw new Error(`no agent token: ${response.status} ${await response.text()}`);
    return (await response.json()) as { id: string; token: string };
  }

  #ask(method: string, path: string, body?: object): Promise<Response> {
    const { base_url, token } = this.#server();
    return fetch(`${base_url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  }
}
