import { Worker } from 'node:worker_threads';
import { type Cancel, type Clock, Errors } from '../../../kernel/contracts/index.ts';
import { type DocumentWorkers, moduleBeside, type WorkerTask } from '../contract.ts';
import { documentTooCostly } from '../contract/errors.ts';

export interface WorkerBounds {
  /** Threads at a time. */
  threads: number;
  /** Processor time of one document, with what its thread loads first. */
  cpu_ms: number;
  /** The same in real time, for a thread that cannot even say what it has taken. */
  real_ms: number;
  memory_mb: number;
  /** Documents of one project that wait. */
  waiting: number;
  /** A thread without work ends after this time. */
  idle_ms: number;
}

export const WORKER_BOUNDS: WorkerBounds = {
  threads: 1,
  cpu_ms: 5_000,
  real_ms: 60_000,
  memory_mb: 256,
  waiting: 32,
  idle_ms: 30_000,
};

/** Pauses between two looks at what a thread has taken. */
const LOOK_MS = 100;
/** As much as the main thread has, so that a document nests too deep for both. */
const STACK_MB = 1;
const YOUNG_MB = 32;

interface Job {
  task: WorkerTask;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Worker threads that start when there is a document to read and end when there is none. Projects take turns. */
export class DocumentWorkerPool implements DocumentWorkers {
  readonly #clock: Clock;
  readonly #bounds: WorkerBounds;
  /** In the order in which projects have their turns. */
  readonly #queues = new Map<string, Job[]>();
  readonly #idle: Thread[] = [];
  readonly #threads = new Set<Thread>();
  #closing: Promise<void> | undefined;

  constructor(clock: Clock, bounds: Partial<WorkerBounds> = {}) {
    this.#clock = clock;
    this.#bounds = { ...WORKER_BOUNDS, ...bounds };
  }

  /** Threads that run. */
  get size(): number {
    return this.#threads.size;
  }

  run<T>(task: WorkerTask): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#closing) throw stopping();
      const queue = this.#queues.get(task.project_id) ?? [];
      if (queue.length >= this.#bounds.waiting)
        throw Errors.rateLimited(`${queue.length} large documents of this project wait to be read`, {
          retryAfterMs: 1000,
        });
      queue.push({ task, resolve: resolve as Job['resolve'], reject });
      this.#queues.set(task.project_id, queue);
      this.#next();
    });
  }

  /** Refuses what waits and what is under way, and ends every thread. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    for (const job of [...this.#queues.values()].flat()) job.reject(stopping());
    this.#queues.clear();
    await Promise.all([...this.#threads].map((thread) => thread.end(stopping())));
  }

  #next(): void {
    while (this.#queues.size > 0 && !this.#closing) {
      const thread = this.#idle.pop() ?? this.#started();
      if (!thread) return;
      void this.#work(thread, this.#take());
    }
  }

  #started(): Thread | undefined {
    if (this.#threads.size >= this.#bounds.threads) return undefined;
    const thread = new Thread(this.#clock, this.#bounds, () => this.#ended(thread));
    this.#threads.add(thread);
    return thread;
  }

  #ended(thread: Thread): void {
    this.#threads.delete(thread);
    const at = this.#idle.indexOf(thread);
    if (at >= 0) this.#idle.splice(at, 1);
    this.#next();
  }

  /** The first of the project whose turn it is; its next one waits until the others had theirs. */
  #take(): Job {
    const [project_id, queue] = this.#queues.entries().next().value!;
    const job = queue.shift()!;
    this.#queues.delete(project_id);
    if (queue.length > 0) this.#queues.set(project_id, queue);
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

type Answer = { result: unknown } | { fault: unknown };

/** One worker thread, and the document that it reads. */
class Thread {
  readonly #worker: Worker;
  readonly #clock: Clock;
  readonly #bounds: WorkerBounds;
  readonly #ended: () => void;
  #answer: PromiseWithResolvers<unknown> | undefined;
  #cancelLook: Cancel = () => undefined;
  #cancelIdle: Cancel = () => undefined;
  alive = true;

  constructor(clock: Clock, bounds: WorkerBounds, ended: () => void) {
    this.#clock = clock;
    this.#bounds = bounds;
    this.#ended = ended;
    // It has no use for the settings of the service, of which some are secret.
    this.#worker = new Worker(new URL(moduleBeside(import.meta.url, './thread')), {
      env: {},
      resourceLimits: {
        maxOldGenerationSizeMb: bounds.memory_mb,
        maxYoungGenerationSizeMb: YOUNG_MB,
        stackSizeMb: STACK_MB,
      },
    });
    this.#worker
      .on('message', (answer: Answer) => this.#answered(answer))
      .on('messageerror', () => void this.end(documentTooCostly('what it holds nests too deep')))
      .on('error', (error: NodeJS.ErrnoException) => void this.end(faultOf(error, bounds)))
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

  /** Rejects what is under way with `error`. Resolves when the thread has ended. */
  async end(error: unknown): Promise<void> {
    const first = this.alive;
    this.alive = false;
    this.#cancelLook();
    this.#cancelIdle();
    this.#answer?.reject(error);
    this.#answer = undefined;
    await this.#worker.terminate();
    if (first) this.#ended();
  }

  #answered(answer: Answer): void {
    const waiting = this.#answer;
    this.#answer = undefined;
    this.#cancelLook();
    // A thread without work does not keep the process alive, and neither does its timer.
    this.#worker.unref();
    const stop = () => void this.end(undefined);
    this.#cancelIdle = this.#clock.after(this.#bounds.idle_ms, stop, { unref: true });
    if ('fault' in answer) waiting?.reject(answer.fault);
    else waiting?.resolve(answer.result);
  }

  /** Ends the thread when the document has taken more than it may. */
  async #watch(answer: PromiseWithResolvers<unknown>): Promise<void> {
    const since = this.#clock.monotonic();
    const before = await this.#cpuMs();
    const look = async () => {
      const spent = (await this.#cpuMs()) - before;
      if (this.#answer !== answer) return;
      const { cpu_ms, real_ms } = this.#bounds;
      if (spent > cpu_ms || this.#clock.monotonic() - since > real_ms)
        return void this.end(documentTooCostly(`reading it takes more than ${cpu_ms / 1000} s`));
      this.#cancelLook = this.#clock.after(LOOK_MS, () => void look());
    };
    if (this.#answer === answer) await look();
  }

  /** 0 for a thread that does not say it: it is about to end, or the real time decides. */
  async #cpuMs(): Promise<number> {
    let cancel: Cancel = () => undefined;
    const silent = new Promise<undefined>((resolve) => {
      cancel = this.#clock.after(LOOK_MS, () => resolve(undefined), { unref: true });
    });
    const used = await Promise.race([this.#worker.cpuUsage().catch(() => undefined), silent]);
    cancel();
    return used === undefined ? 0 : (used.user + used.system) / 1000;
  }
}

const faultOf = (error: NodeJS.ErrnoException, { memory_mb }: WorkerBounds): unknown =>
  error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? documentTooCostly(`reading it takes more than ${memory_mb} MiB of memory`)
    : error;
