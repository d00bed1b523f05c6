import {
  type Access,
  type AccessControl,
  callerOf,
  type Cancel,
  type Clock,
  Errors,
  type HttpRequest,
  type Ids,
  isServiceError,
  type Log,
  yieldToEventLoop,
} from '../../../kernel/contracts/index.ts';
import { Channel } from './channel.ts';
import type { Feed } from './feed.ts';
import { SeatCounter } from './seats.ts';
import type { AskedTopic } from './topics.ts';
import { lines, message, Viewer } from './viewer.ts';

/** Proxies close a connection that is silent for 30 s or more. */
const HEARTBEAT_MS = 15_000;
/** So often it is asked whether somebody still may look, and whether they read. */
const SWEEP_MS = 5000;
/** Viewers that are asked after before others are served. */
const AT_ONCE = 100;
/** The client waits so long before it connects again. */
const RETRY_MS = 1000;

export interface HubParts {
  clock: Clock;
  ids: Ids;
  log: Log;
  control: AccessControl;
}

interface Seat {
  viewer: Viewer;
  channel: Channel;
  feeds: readonly Feed[];
  request: HttpRequest;
  accesses: readonly Access[];
  /** It was told to end, and has not read that. */
  overdue: boolean;
  release: Cancel;
}

/** The open streams of this server. Each costs a socket and a number; what they show is read once for all. */
export class LiveHub {
  readonly #parts: HubParts;
  readonly #channels = new Map<string, Channel>();
  readonly #seats = new Set<Seat>();
  readonly #counter = new SeatCounter();
  readonly #endings = new Set<Promise<void>>();
  #cancel: Cancel | undefined;
  #sweeping: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(parts: HubParts) {
    this.#parts = parts;
  }

  /** Streams that are open. */
  get size(): number {
    return this.#seats.size;
  }

  /** Topics that are read. */
  get feeds(): number {
    return [...this.#channels.values()].reduce((sum, { feeds }) => sum + feeds.size, 0);
  }

  /** A stream of what the topics tell. Throws `rate_limited`, and what the topics throw for those who may not look. */
  async open(request: HttpRequest, asked: readonly AskedTopic[], last_id: string | undefined): Promise<Viewer> {
    if (this.#stopped) throw Errors.unavailable('the server is stopping', { retryAfterMs: RETRY_MS });
    const release = this.#counter.take(callerOf(request).id, request.scope.org_id);
    try {
      const accesses = await this.#admit(request, asked);
      const channel = this.#channelOf(request);
      const feeds = asked.map((topic) => this.#feedOf(channel, topic));
      try {
        await Promise.all(feeds.map((feed) => feed.join()));
        const viewer = this.#viewerOf(channel, feeds, asked, last_id);
        this.#seat({ viewer, channel, feeds, request, accesses, overdue: false, release });
        return viewer;
      } catch (error) {
        this.#left(channel, feeds);
        throw error;
      }
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Ends every stream and every reader. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel?.();
    for (const { viewer } of this.#seats) viewer.stream.destroy();
    const feeds = [...this.#channels.values()].flatMap((channel) => [...channel.feeds.values()]);
    await Promise.all(feeds.map((feed) => feed.close()));
    await Promise.all(this.#endings);
    await this.#sweeping;
  }

  /** Each topic has the access of the list that it belongs to. */
  async #admit(request: HttpRequest, asked: readonly AskedTopic[]): Promise<readonly Access[]> {
    const accesses = [...new Set(asked.map(({ topic }) => topic.access))];
    await this.#authorize(request, accesses);
    for (const { topic, argument } of asked) await topic.check?.(request.scope, argument);
    return accesses;
  }

  async #authorize(request: HttpRequest, accesses: readonly Access[]): Promise<void> {
    const { control } = this.#parts;
    for (const access of accesses) await control.authorize(callerOf(request), access, request.params);
  }

  #channelOf({ scope }: HttpRequest): Channel {
    const known = this.#channels.get(scope.project_id);
    if (known) return known;
    const channel = new Channel(scope, this.#parts.ids.bytes(9).toString('base64url'));
    this.#channels.set(scope.project_id, channel);
    return channel;
  }

  #feedOf(channel: Channel, { topic, argument, key }: AskedTopic): Feed {
    const { clock } = this.#parts;
    return channel.feed({ topic, argument, key, clock, ending: (end) => this.#own(channel, end) });
  }

  #own(channel: Channel, end: Promise<void>): void {
    const owned = end
      .catch((error) => this.#parts.log.error({ err: error }, 'a reader of live changes did not end cleanly'))
      .finally(() => {
        this.#endings.delete(owned);
        this.#forget(channel);
      });
    this.#endings.add(owned);
  }

  /** From the last message that the client has, if all later ones are here. */
  #viewerOf(
    channel: Channel,
    feeds: readonly Feed[],
    asked: readonly AskedTopic[],
    last_id: string | undefined,
  ): Viewer {
    const seen = last_id === undefined ? undefined : channel.numberOf(last_id);
    const resumed = seen !== undefined && channel.ring.covers(seen) && feeds.every((feed) => feed.covers(seen));
    const fresh = last_id === undefined || resumed;
    return new Viewer({
      channel,
      topics: new Set(asked.map(({ key }) => key)),
      after: resumed ? seen : channel.ring.last,
      greeting: `retry: ${RETRY_MS}\n${fresh ? lines('ready', { resumed }) : lines('reset', { reason: 'unknown_id' })}`,
      now: () => this.#parts.clock.monotonic(),
    });
  }

  #seat(seat: Seat): void {
    const { viewer, channel, feeds, request, release } = seat;
    const { signal } = request;
    const end = () => viewer.end();
    this.#seats.add(seat);
    channel.viewers.add(viewer);
    viewer.stream.once('close', () => {
      signal.removeEventListener('abort', end);
      this.#seats.delete(seat);
      channel.viewers.delete(viewer);
      release();
      this.#left(channel, feeds);
    });
    if (signal.aborted) viewer.end();
    else signal.addEventListener('abort', end);
    this.#arm();
  }

  #left(channel: Channel, feeds: readonly Feed[]): void {
    for (const feed of feeds) feed.leave();
    this.#forget(channel);
  }

  #forget(channel: Channel): void {
    if (channel.idle && this.#channels.get(channel.scope.project_id) === channel)
      this.#channels.delete(channel.scope.project_id);
  }

  #arm(): void {
    if (this.#cancel !== undefined || this.#stopped || this.#seats.size === 0) return;
    const sweep = () => {
      this.#sweeping = this.#sweep().finally(() => {
        this.#cancel = undefined;
        this.#arm();
      });
    };
    this.#cancel = this.#parts.clock.after(SWEEP_MS, sweep, { unref: true });
  }

  async #sweep(): Promise<void> {
    let asked = 0;
    for (const seat of [...this.#seats]) {
      this.#look(seat);
      await this.#ask(seat);
      if (++asked % AT_ONCE === 0) await yieldToEventLoop();
    }
  }

  /** Ends those that do not read, and tells the others that it is still there. */
  #look(seat: Seat): void {
    const { viewer } = seat;
    if (viewer.ended) {
      if (seat.overdue) viewer.stream.destroy();
      seat.overdue = true;
    } else if (viewer.lost) viewer.end(message('reset', { reason: 'too_slow' }));
    else viewer.beat(HEARTBEAT_MS - SWEEP_MS);
  }

  /** A token that was revoked, a session that is over or a role that was taken away ends the stream. */
  async #ask({ viewer, request, accesses }: Seat): Promise<void> {
    if (viewer.ended) return;
    try {
      // First, for it costs nothing that could be used up, and says of tokens and sessions too that they are over.
      await this.#authorize(request, accesses);
      await request.admitted();
    } catch (error) {
      // Whatever else it was, it says nothing of who may look.
      const refused = ['not_authenticated', 'forbidden', 'not_found'].some((code) => isServiceError(error, code));
      if (refused) viewer.end(message('end', { code: (error as { code?: string }).code }));
    }
  }
}
