import { Worker } from 'node:worker_threads';
import { type Cancel, type Clock, Errors } from '../../../../kernel/contracts/index.ts';
import { type DocumentWorkers, siblingModule, type WorkerTask } from '../contract.ts';
import { documentTooCostly } from '../contract/errors.ts';

export interface WorkerLimits {
  /** The maximum number of threads. */
  threads: number;
  /** The processor time of one document, including what its thread loads first. */
  cpu_ms: number;
  /** The wall-clock limit, for a thread that does not even report its processor time. */
  real_ms: number;
  memory_mb: number;
  /** How many documents of one project may wait. */
  waiting: number;
  /** A thread without work ends after this time. */
  idle_ms: number;
}

export const DEFAULT_WORKER_LIMITS: WorkerLimits = {
  threads: 1,
  cpu_ms: 5_000,
  real_ms: 60_000,
  memory_mb: 256,
  waiting: 32,
  idle_ms: 30_000,
};

/** The interval at which the processor time of a thread is checked. */
const CHECK_MS = 100;
/** The same as in the main thread, so that a document is nested too deeply for either or for neither. */
const STACK_MB = 1;
const YOUNG_MB = 32;

interface Job {
  task: WorkerTask;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/**
 * Worker threads that start when there is a document to read and end when there is none. Orgs are served round-robin, however
 * many projects each of them has.
 */
export class DocumentWorkerPool implements DocumentWorkers {
  readonly #clock: Clock;
  readonly #limits: WorkerLimits;
  /** The waiting jobs by org and project, in the order in which these are served. */
  readonly #orgs = new Map<string, Map<string, Job[]>>();
  readonly #idle: Thread[] = [];
  readonly #threads = new Set<Thread>();
  #closing: Promise<void> | undefined;

  constructor(clock: Clock, limits: Partial<WorkerLimits> = {}) {
    this.#clock = clock;
    this.#limits = { ...DEFAULT_WORKER_LIMITS, ...limits };
  }

  /** The number of threads. */
  get size(): number {
    return this.#threads.size;
  }

  run<T>(task: WorkerTask): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#closing) throw stopping();
      const { org_id, project_id } = task.scope;
      const projects = this.#orgs.get(org_id) ?? new Map<string, Job[]>();
      const queue = projects.get(project_id) ?? [];
      if (queue.length >= this.#limits.waiting)
        throw Errors.rateLimited(`${queue.length} large documents of this project are waiting to be read`, {
          retryAfterMs: 1000,
        });
      queue.push({ task, resolve: resolve as Job['resolve'], reject });
      projects.set(project_id, queue);
      this.#orgs.set(org_id, projects);
      this.#next();
    });
  }

  /** Rejects all waiting and running jobs, and ends every thread. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    for (const projects of this.#orgs.values()) for (const job of [...projects.values()].flat()) job.reject(stopping());
    this.#orgs.clear();
    await Promise.all([...this.#threads].map((thread) => thread.end(stopping())));
  }

  #next(): void {
    while (this.#orgs.size > 0 && !this.#closing) {
      const thread = this.#idle.pop() ?? this.#startThread();
      if (!thread) return;
      void this.#work(thread, this.#nextJob());
    }
  }

  #startThread(): Thread | undefined {
    if (this.#threads.size >= this.#limits.threads) return undefined;
    const thread = new Thread(this.#clock, this.#limits, () => this.#ended(thread));
    this.#threads.add(thread);
    return thread;
  }

  #ended(thread: Thread): void {
    this.#threads.delete(thread);
    const at = this.#idle.indexOf(thread);
    if (at >= 0) this.#idle.splice(at, 1);
    this.#next();
  }

  /** Takes the first job of the next project of the next org, and moves both to the end of their order. */
  #nextJob(): Job {
    const [org_id, projects] = this.#orgs.entries().next().value!;
    const [project_id, queue] = projects.entries().next().value!;
    const job = queue.shift()!;
    projects.delete(project_id);
    if (queue.length > 0) projects.set(project_id, queue);
    this.#orgs.delete(org_id);
    if (projects.size > 0) this.#orgs.set(org_id, projects);
    return job;
  }

  async #work(thread: Thread, { task, resolve, reject }: Job): Promise<void> {
    try {
      resolve(await thread.run(task));
    } catch (error) {
      reject(error);
    }
    if (thread.alive) this.#idle.push(thread);
    this.#next();
  }
}

const stopping = () => Errors.unavailable('the server is stopping', { retryAfterMs: 1000 });

type Answer = { result: unknown } | { error: unknown };

/** One worker thread, and the document that it reads. */
class Thread {
  readonly #worker: Worker;
  readonly #clock: Clock;
  readonly #limits: WorkerLimits;
  readonly #ended: () => void;
  #answer: PromiseWithResolvers<unknown> | undefined;
  #cancelCheck: Cancel = () => undefined;
  #cancelIdle: Cancel = () => undefined;
  alive = true;

  constructor(clock: Clock, limits: WorkerLimits, ended: () => void) {
    this.#clock = clock;
    this.#limits = limits;
    this.#ended = ended;
    // The thread needs no settings of the service, and some of them are secret.
    this.#worker = new Worker(new URL(siblingModule(import.meta.url, './thread')), {
      env: {},
      resourceLimits: {
        maxOldGenerationSizeMb: limits.memory_mb,
        maxYoungGenerationSizeMb: YOUNG_MB,
        stackSizeMb: STACK_MB,
      },
    });
    this.#worker
      .on('message', (answer: Answer) => this.#onAnswer(answer))
      .on('messageerror', () => void this.end(documentTooCostly('its value is nested too deeply')))
      .on('error', (error: NodeJS.ErrnoException) => void this.end(toWorkerError(error, limits)))
      .on('exit', () => void this.end(Errors.unavailable('the thread that read the document has ended')));
  }

  run({ module, name, args }: WorkerTask): Promise<unknown> {
    this.#cancelIdle();
    const answer = Promise.withResolvers<unknown>();
    this.#answer = answer;
    this.#worker.ref();
    this.#worker.postMessage({ module, name, args });
    void this.#watch(answer);
    return answer.promise;
  }

  /** Rejects the running job with `error`. Resolves when the thread has ended. */
  async end(error: unknown): Promise<void> {
    const first = this.alive;
    this.alive = false;
    this.#cancelCheck();
    this.#cancelIdle();
    this.#answer?.reject(error);
    this.#answer = undefined;
    await this.#worker.terminate();
    if (first) this.#ended();
  }

  #onAnswer(answer: Answer): void {
    const waiting = this.#answer;
    this.#answer = undefined;
    this.#cancelCheck();
    // A thread without work does not keep the process alive, and neither does its timer.
    this.#worker.unref();
    const stop = () => void this.end(undefined);
    this.#cancelIdle = this.#clock.after(this.#limits.idle_ms, stop, { unref: true });
    if ('error' in answer) waiting?.reject(answer.error);
    else waiting?.resolve(answer.result);
  }

  /** Ends the thread when the document has used more time than it may. */
  async #watch(answer: PromiseWithResolvers<unknown>): Promise<void> {
    const since = this.#clock.monotonic();
    const before = await this.#cpuMs();
    const check = async () => {
      const cpu_used = (await this.#cpuMs()) - before;
      if (this.#answer !== answer) return;
      const { cpu_ms, real_ms } = this.#limits;
      if (cpu_used > cpu_ms || this.#clock.monotonic() - since > real_ms)
        return void this.end(documentTooCostly(`reading it takes more than ${cpu_ms / 1000} s`));
      this.#cancelCheck = this.#clock.after(CHECK_MS, () => void check());
    };
    if (this.#answer === answer) await check();
  }

  /** Returns the processor time; 0 when the thread does not report it, because it is ending or because it is stuck. */
  async #cpuMs(): Promise<number> {
    let cancel: Cancel = () => undefined;
    const silent = new Promise<undefined>((resolve) => {
      cancel = this.#clock.after(CHECK_MS, () => resolve(undefined), { unref: true });
    });
    const used = await Promise.race([this.#worker.cpuUsage().catch(() => undefined), silent]);
    cancel();
    return used === undefined ? 0 : (used.user + used.system) / 1000;
  }
}

const toWorkerError = (error: NodeJS.ErrnoException, { memory_mb }: WorkerLimits): unknown =>
  error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? documentTooCostly(`reading it takes more than ${memory_mb} MiB of memory`)
    : error;
