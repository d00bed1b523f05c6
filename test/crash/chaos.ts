import { readdir, readFile } from 'node:fs/promises';
import type { Service } from '../../features/support/process.ts';
import { type OwnTarget, startTarget, type Target } from '../../features/support/target.ts';

/** A seeded generator, so that a failing run can be told by its seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export type Victim = 'script' | 'agent' | 'server';

/** A script of a run, as its processes are found. */
export interface Sought {
  run_id: string;
  source: string;
}

/** The file of a script in the folder of its pass. */
const IN_A_PASS = /\/p[0-9a-f]{12}\/source\/[^/]+$/;

const textsOf = async (path: string): Promise<string[]> => (await readFile(path, 'utf8')).split('\0');

/**
 * By what only this run's carry in their environment. An interpreter that waited for its script has another one: it is known by
 * the file that it runs, which is not there while it waits.
 */
async function isOf(process_folder: string, { run_id, source }: Sought): Promise<boolean> {
  if ((await textsOf(`${process_folder}/environ`)).includes(`SVC_WORKFLOW_ID=${run_id}`)) return true;
  const file = (await textsOf(`${process_folder}/cmdline`)).find((argument) => IN_A_PASS.test(argument));
  return file !== undefined && (await readFile(file, 'utf8')) === source;
}

/** Process groups of scripts of this run. */
async function scriptGroups(sought: Sought): Promise<number[]> {
  const groups = new Set<number>();
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      if (!(await isOf(`/proc/${name}`, sought))) continue;
      const stat = await readFile(`/proc/${name}/stat`, 'utf8');
      groups.add(Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'ESRCH' && code !== 'EACCES') throw error;
    }
  }
  return [...groups];
}

interface Second {
  service: Service;
  url: string;
  port: string;
}

/** Who serves functions: the worker, an agent of its own, and its program, which has the files of the worker in its command. */
export interface WorkersPlan {
  count: number;
  file: string;
}

/** Two servers at most, agents and workers on either; what is killed here comes back here. */
export class Fleet {
  readonly #workers: { service: Service; index: number }[] = [];
  readonly #own: OwnTarget;
  readonly #random: () => number;
  readonly #second: Second | undefined;

  private constructor(own: OwnTarget, random: () => number, second: Second | undefined) {
    this.#own = own;
    this.#random = random;
    this.#second = second;
  }

  /** `agents` of them; with two servers every other agent works for the second. */
  static async start(own: OwnTarget, random: () => number, size: { servers: number; agents: number }): Promise<Fleet> {
    let second: Second | undefined;
    if (size.servers > 1) {
      const { service, url } = await own.startServer('0');
      second = { service, url, port: new URL(url).port };
    }
    const fleet = new Fleet(own, random, second);
    for (let index = 0; index < size.agents; index += 1) await fleet.#startAgent(index);
    return fleet;
  }

  /** Kills one victim for real. Answers whether somebody died. */
  async strike(victim: Victim, script?: Sought): Promise<boolean> {
    if (victim === 'script') return script !== undefined && killScript(script);
    if (victim === 'agent') return this.#strikeAgent();
    return this.#strikeServer();
  }

  async startWorkers(plan: WorkersPlan): Promise<void> {
    for (let index = 0; index < plan.count; index += 1) await this.#startWorker(index, plan);
  }

  /** Kills a worker, and starts another. */
  async strikeWorker(plan: WorkersPlan): Promise<boolean> {
    const [struck] = this.#workers.splice(Math.floor(this.#random() * this.#workers.length), 1);
    if (struck === undefined) return false;
    this.#own.agents.splice(this.#own.agents.indexOf(struck.service), 1);
    await struck.service.kill('SIGKILL');
    await this.#startWorker(struck.index, plan);
    return true;
  }

  /** Kills the program of a worker, which starts it again. */
  async strikeProgram({ file }: WorkersPlan): Promise<boolean> {
    const programs = await programsOf(file, this.#workers);
    const pid = programs[Math.floor(this.#random() * programs.length)];
    return pid !== undefined && killIfAlive(pid);
  }

  async #startWorker(index: number, { file }: WorkersPlan): Promise<void> {
    const url = this.#second && index % 2 === 1 ? { url: this.#second.url } : {};
    const name = `crash-worker-${index}-${Math.floor(this.#random() * 1e9)}`;
    const service = await this.#own.startAgent(name, { command: 'worker', args: [file], ...url });
    this.#workers.push({ service, index });
  }

  async stop(): Promise<void> {
    await this.#second?.service.kill('SIGTERM');
  }

  async #startAgent(index: number): Promise<void> {
    const url = this.#second && index % 2 === 1 ? { url: this.#second.url } : {};
    await this.#own.startAgent(`crash-${index}-${Math.floor(this.#random() * 1e9)}`, url);
  }

  async #strikeAgent(): Promise<boolean> {
    const index = Math.floor(this.#random() * this.#own.agents.length);
    const [agent] = this.#own.agents.splice(index, 1);
    await agent?.kill('SIGKILL');
    await this.#startAgent(index);
    return agent !== undefined;
  }

  async #strikeServer(): Promise<boolean> {
    if (this.#second && this.#random() < 0.5) {
      await this.#second.service.kill('SIGKILL');
      this.#second.service = (await this.#own.startServer(this.#second.port)).service;
    } else {
      await this.#own.server.kill('SIGKILL');
      this.#own.server = (await this.#own.startServer()).service;
    }
    return true;
  }
}

/** Processes that a worker has started with its file. */
async function programsOf(file: string, workers: readonly { service: Service }[]): Promise<number[]> {
  const parents = new Set(workers.map(({ service }) => service.child.pid));
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = await readFile(`/proc/${name}/stat`, 'utf8');
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      if (parents.has(parent) && (await textsOf(`/proc/${name}/cmdline`)).includes(file)) found.push(Number(name));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'ESRCH') throw error;
    }
  }
  return found;
}

async function killScript(script: Sought): Promise<boolean> {
  const [group] = await scriptGroups(script);
  return group !== undefined && killIfAlive(-group);
}

/** Answers whether somebody died. */
function killIfAlive(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

/** Servers and agents with short leases, what strikes them, and `work` on them; its errors show the last logs. */
export async function underAttack<T>(
  plan: { database_url?: string; servers: number; agents: number; seed: number },
  work: (parts: { target: Target; own: OwnTarget; fleet: Fleet; random: () => number }) => Promise<T>,
): Promise<T> {
  const random = randomFrom(plan.seed);
  const { database_url } = plan;
  const target = await startTarget({
    agents: 0,
    env: { SVC_LEASE_MS: '1500' },
    ...(database_url ? { database_url } : {}),
  });
  const own = target.own!;
  const fleet = await Fleet.start(own, random, plan);
  try {
    return await work({ target, own, fleet, random });
  } catch (error) {
    const logs = [own.server, ...own.agents].map(({ log }) => log.slice(-2000)).join('\n');
    throw new Error(`${(error as Error).message}\n${logs}`, { cause: error });
  } finally {
    await fleet.stop();
    await target.close();
  }
}
