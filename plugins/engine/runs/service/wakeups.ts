import type { Log } from '../../../../kernel/contracts/index.ts';
import type { AgentClaim, RevokedClaim, RunPart, WakeMessage, WakeRelay, Wakeups } from '../contract.ts';

type Listener<A extends unknown[]> = (...args: A) => void;

/** Listeners of one kind. An error of one is logged and does not affect others. */
class Channel<A extends unknown[]> {
  readonly #listeners = new Set<{ listen: Listener<A> }>();
  readonly #blame: (error: unknown) => void;

  constructor(blame: (error: unknown) => void) {
    this.#blame = blame;
  }

  get empty(): boolean {
    return this.#listeners.size === 0;
  }

  /** The same function may listen twice; each returned function removes one registration. */
  on(listen: Listener<A>): () => void {
    const place = { listen };
    this.#listeners.add(place);
    return () => {
      this.#listeners.delete(place);
    };
  }

  emit(...args: A): void {
    const listeners = [...this.#listeners];
    for (const { listen } of listeners) {
      try {
        listen(...args);
      } catch (error) {
        this.#blame(error);
      }
    }
  }
}

/** Channels by name; each exists while it has listeners. */
class Channels<A extends unknown[]> {
  readonly #channels = new Map<string, Channel<A>>();
  readonly #blame: (error: unknown) => void;

  constructor(blame: (error: unknown) => void) {
    this.#blame = blame;
  }

  on(name: string, listen: Listener<A>): () => void {
    const channel = this.#channels.get(name) ?? new Channel<A>(this.#blame);
    this.#channels.set(name, channel);
    const off = channel.on(listen);
    return () => {
      off();
      if (channel.empty && this.#channels.get(name) === channel) this.#channels.delete(name);
    };
  }

  emit(name: string, ...args: A): void {
    this.#channels.get(name)?.emit(...args);
  }
}

/**
 * Wake-ups inside this process. They are hints that make things fast; polling makes them correct, because changes by
 * other servers are found only that way. A run without listeners uses no memory. A relay may carry them to other
 * servers.
 */
export function createWakeups(log: Log): Wakeups & WakeRelay {
  const blame = (error: unknown) => log.error({ err: error }, 'a wake-up listener failed');
  const work = new Channel<[]>(blame);
  const timer = new Channel<[deadline: number]>(blame);
  const revoked = new Channel<[claim: RevokedClaim]>(blame);
  const paused = new Channel<[claim: AgentClaim]>(blame);
  const runs = new Channels<[over: boolean, part: RunPart | undefined]>(blame);
  const projects = new Channels<[run_id: string, part: RunPart | undefined]>(blame);
  const topics = new Channels<[]>(blame);
  const local = new Channel<[message: WakeMessage]>(blame);

  const deliverRun = ({ run_id, over, part, project_id }: Extract<WakeMessage, { wake: 'run' }>): void => {
    runs.emit(run_id, over === true, part);
    if (project_id !== undefined) projects.emit(project_id, run_id, part);
  };
  const deliver = (message: WakeMessage): void => {
    if (message.wake === 'work') work.emit();
    else if (message.wake === 'timer') timer.emit(message.deadline);
    else if (message.wake === 'run') deliverRun(message);
    else if (message.wake === 'revoked') revoked.emit(message.claim);
    else if (message.wake === 'paused') paused.emit(message.claim);
    else topics.emit(message.topic);
  };
  const say = (message: WakeMessage): void => {
    deliver(message);
    if (!local.empty) local.emit(message);
  };

  return {
    work: () => say({ wake: 'work' }),
    timer: (deadline) => say({ wake: 'timer', deadline }),
    run: (run_id, change) => say({ wake: 'run', run_id, ...change }),
    revoked: (claim) => say({ wake: 'revoked', claim }),
    paused: (claim) => say({ wake: 'paused', claim }),
    topic: (topic) => say({ wake: 'topic', topic }),
    onWork: (listen) => work.on(listen),
    onTimer: (listen) => timer.on(listen),
    onRun: (run_id, listen) => runs.on(run_id, listen),
    onRuns: (project_id, listen) => projects.on(project_id, listen),
    onRevoked: (listen) => revoked.on(listen),
    onPaused: (listen) => paused.on(listen),
    onTopic: (topic, listen) => topics.on(topic, listen),
    onLocal: (listen) => local.on(listen),
    deliver,
  };
}
