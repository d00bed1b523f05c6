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
} from '../../../../kernel/contracts/index.ts';
import { Channel } from './channel.ts';
import type { Feed } from './feed.ts';
import { StreamCounter } from './stream-counter.ts';
import type { RequestedTopic } from './topics.ts';
import { formatEvent, formatFinalEvent, Viewer } from './viewer.ts';

/** Proxies close a connection that is silent for 30 s or more. */
const HEARTBEAT_MS = 15_000;
/** The interval at which the access of viewers and their reading is checked. */
const SWEEP_MS = 5000;
/** The number of viewers that are checked before the event loop may run other work. */
const AT_ONCE = 100;
/** How long the client waits before it reconnects. */
const RETRY_MS = 1000;

export interface HubDeps {
  clock: Clock;
  ids: Ids;
  log: Log;
  control: AccessControl;
}

interface Subscription {
  viewer: Viewer;
  channel: Channel;
  feeds: readonly Feed[];
  request: HttpRequest;
  accesses: readonly Access[];
  /** True when the stream has ended but its reader has not read that. */
  overdue: boolean;
  release: Cancel;
}

/** The open streams of this server. Each costs a socket and a number; what they show is read once for all. */
export class LiveHub {
  readonly #deps: HubDeps;
  readonly #channels = new Map<string, Channel>();
  readonly #subscriptions = new Set<Subscription>();
  readonly #counter = new StreamCounter();
  readonly #endings = new Set<Promise<void>>();
  #cancel: Cancel | undefined;
  #sweeping: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(deps: HubDeps) {
    this.#deps = deps;
  }

  /** Streams that are open. */
  get size(): number {
    return this.#subscriptions.size;
  }

  /** Topics that are read. */
  get feeds(): number {
    return [...this.#channels.values()].reduce((sum, { feeds }) => sum + feeds.size, 0);
  }

  /** Opens a stream of topics. Throws `rate_limited`, and the errors of topics for callers without access. */
  async open(request: HttpRequest, requested: readonly RequestedTopic[], last_id: string | undefined): Promise<Viewer> {
    if (this.#stopped) throw Errors.unavailable('the server is stopping', { retryAfterMs: RETRY_MS });
    const release = this.#counter.reserve(callerOf(request).id, request.scope.org_id);
    try {
      const accesses = await this.#authorizeTopics(request, requested);
      const channel = this.#getChannel(request);
      const feeds = requested.map((topic) => this.#getFeed(channel, topic));
      try {
        await Promise.all(feeds.map((feed) => feed.join()));
        const viewer = this.#createViewer(channel, feeds, requested, last_id);
        this.#subscribe({ viewer, channel, feeds, request, accesses, overdue: false, release });
        return viewer;
      } catch (error) {
        this.#leaveFeeds(channel, feeds);
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
    for (const { viewer } of this.#subscriptions) viewer.stream.destroy();
    const feeds = [...this.#channels.values()].flatMap((channel) => [...channel.feeds.values()]);
    await Promise.all(feeds.map((feed) => feed.close()));
    await Promise.all(this.#endings);
    await this.#sweeping;
  }

  /** Authorizes the topics by the access rules of their lists. */
  async #authorizeTopics(request: HttpRequest, requested: readonly RequestedTopic[]): Promise<readonly Access[]> {
    const accesses = [...new Set(requested.map(({ topic }) => topic.access))];
    await this.#authorize(request, accesses);
    for (const { topic, argument } of requested) await topic.check?.(request.scope, argument);
    return accesses;
  }

  async #authorize(request: HttpRequest, accesses: readonly Access[]): Promise<void> {
    const { control } = this.#deps;
    for (const access of accesses) await control.authorize(callerOf(request), access, request.params);
  }

  #getChannel({ scope }: HttpRequest): Channel {
    const existing = this.#channels.get(scope.project_id);
    if (existing) return existing;
    const channel = new Channel(scope, this.#deps.ids.bytes(9).toString('base64url'));
    this.#channels.set(scope.project_id, channel);
    return channel;
  }

  #getFeed(channel: Channel, { topic, argument, key }: RequestedTopic): Feed {
    const { clock } = this.#deps;
    return channel.getFeed({ topic, argument, key, clock, trackEnd: (end) => this.#trackEnd(channel, end) });
  }

  #trackEnd(channel: Channel, end: Promise<void>): void {
    const tracked = end
      .catch((error) => this.#deps.log.error({ err: error }, 'a reader of live changes did not end cleanly'))
      .finally(() => {
        this.#endings.delete(tracked);
        this.#removeIdle(channel);
      });
    this.#endings.add(tracked);
  }

  /** From the last message that the client has, if all later ones are here. */
  #createViewer(
    channel: Channel,
    feeds: readonly Feed[],
    requested: readonly RequestedTopic[],
    last_id: string | undefined,
  ): Viewer {
    const last_seen = last_id === undefined ? undefined : channel.numberOf(last_id);
    const resumed =
      last_seen !== undefined && channel.ring.covers(last_seen) && feeds.every((feed) => feed.covers(last_seen));
    const is_current = last_id === undefined || resumed;
    return new Viewer({
      channel,
      topics: new Set(requested.map(({ key }) => key)),
      after: resumed ? last_seen : channel.ring.last,
      greeting: `retry: ${RETRY_MS}\n${is_current ? formatEvent('ready', { resumed }) : formatEvent('reset', { reason: 'unknown_id' })}`,
      now: () => this.#deps.clock.monotonic(),
    });
  }

  #subscribe(subscription: Subscription): void {
    const { viewer, channel, feeds, request, release } = subscription;
    const { signal } = request;
    const end = () => viewer.end();
    this.#subscriptions.add(subscription);
    channel.viewers.add(viewer);
    viewer.stream.once('close', () => {
      signal.removeEventListener('abort', end);
      this.#subscriptions.delete(subscription);
      channel.viewers.delete(viewer);
      release();
      this.#leaveFeeds(channel, feeds);
    });
    if (signal.aborted) viewer.end();
    else signal.addEventListener('abort', end);
    this.#scheduleSweep();
  }

  #leaveFeeds(channel: Channel, feeds: readonly Feed[]): void {
    for (const feed of feeds) feed.leave();
    this.#removeIdle(channel);
  }

  #removeIdle(channel: Channel): void {
    if (channel.idle && this.#channels.get(channel.scope.project_id) === channel)
      this.#channels.delete(channel.scope.project_id);
  }

  #scheduleSweep(): void {
    if (this.#cancel !== undefined || this.#stopped || this.#subscriptions.size === 0) return;
    const sweep = () => {
      this.#sweeping = this.#sweep().finally(() => {
        this.#cancel = undefined;
        this.#scheduleSweep();
      });
    };
    this.#cancel = this.#deps.clock.after(SWEEP_MS, sweep, { unref: true });
  }

  async #sweep(): Promise<void> {
    let checked = 0;
    for (const subscription of [...this.#subscriptions]) {
      this.#checkReader(subscription);
      await this.#recheckAccess(subscription);
      if (++checked % AT_ONCE === 0) await yieldToEventLoop();
    }
  }

  /** Ends streams whose readers are stuck, and sends the others a heartbeat. */
  #checkReader(subscription: Subscription): void {
    const { viewer } = subscription;
    if (viewer.ended) {
      if (subscription.overdue) viewer.stream.destroy();
      subscription.overdue = true;
    } else if (viewer.hasLostMessages) viewer.end(formatFinalEvent('reset', { reason: 'too_slow' }));
    else viewer.sendHeartbeat(HEARTBEAT_MS - SWEEP_MS);
  }

  /** Ends the stream after a revoked token, an expired session, or the loss of a role. */
  async #recheckAccess({ viewer, request, accesses }: Subscription): Promise<void> {
    if (viewer.ended) return;
    try {
      // This comes first because it uses up no rate limit, and it detects expired tokens and sessions too.
      await this.#authorize(request, accesses);
      await request.admitted();
    } catch (error) {
      // Other errors do not concern access.
      const is_denied = ['not_authenticated', 'forbidden', 'not_found'].some((code) => isServiceError(error, code));
      if (is_denied) viewer.end(formatFinalEvent('end', { code: (error as { code?: string }).code }));
    }
  }
}
