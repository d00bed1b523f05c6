import { useEffect, useRef, useState } from 'react';
import { useVisible } from '../kit/visible.ts';
import { query, type Scope, scoped } from './paths.ts';
import { parseExact } from '../../../../platform/schema/contract/exact-json.ts';

/** What a page is told of a change. */
export type LiveKind = 'run' | 'steps' | 'log' | 'event' | 'account' | 'reset';
export type LiveState = 'connecting' | 'live' | 'polling';

const KINDS: readonly LiveKind[] = ['run', 'steps', 'log', 'event', 'account', 'reset'];
/** How often a page reads again while there is no stream. */
export const POLL_MS = 3000;
/** A stream that was refused is asked for again after this long; one that broke connects again by itself. */
const RETRY_MS = 15_000;

/**
 * Calls `on` for every change of these topics while the page is open. Without a stream it says `reset` every few seconds,
 * upon which a page reads again.
 */
export function useLive(scope: Scope, topics: string, on: (kind: LiveKind, data: unknown) => void): LiveState {
  const [state, setState] = useState<LiveState>('connecting');
  const latest = useRef(on);
  latest.current = on;
  const { org, project } = scope;
  const visible = useVisible();
  useEffect(() => {
    if (topics === '' || !visible) return undefined;
    return watch({ org, project }, topics, { state: setState, on: (kind, data) => latest.current(kind, data) });
  }, [org, project, topics, visible]);
  return state;
}

interface Listener {
  state(state: LiveState): void;
  on(kind: LiveKind, data: unknown): void;
}

interface Shared {
  stream: LiveStream;
  state: LiveState;
  listeners: Set<Listener>;
}

/** By address: browsers allow few connections to one server, so that parts of a page with the same topics share one. */
const streams = new Map<string, Shared>();

/**
 * Until the returned function is called. Whoever comes to a stream that was open before is told to read again, because what
 * they have may be older than what the stream still sends.
 */
export function watch(scope: Scope, topics: string, listener: Listener): () => void {
  const url = scoped(scope, `/live${query({ topics })}`);
  const shared = streams.get(url) ?? open(url);
  shared.listeners.add(listener);
  listener.state(shared.state);
  if (shared.state !== 'connecting') listener.on('reset', null);
  return () => {
    shared.listeners.delete(listener);
    if (shared.listeners.size > 0) return;
    shared.stream.close();
    if (streams.get(url) === shared) streams.delete(url);
  };
}

function open(url: string): Shared {
  const listeners = new Set<Listener>();
  const told = (state: LiveState) => {
    shared.state = state;
    for (const one of listeners) one.state(state);
  };
  const on: Listener['on'] = (kind, data) => {
    for (const one of listeners) one.on(kind, data);
  };
  const shared: Shared = { stream: new LiveStream(url, told, on), state: 'connecting', listeners };
  streams.set(url, shared);
  return shared;
}

class LiveStream {
  readonly #url: string;
  readonly #state: (state: LiveState) => void;
  readonly #on: (kind: LiveKind, data: unknown) => void;
  #source: EventSource | undefined;
  #polling: ReturnType<typeof setInterval> | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(url: string, state: (state: LiveState) => void, on: (kind: LiveKind, data: unknown) => void) {
    this.#url = url;
    this.#state = state;
    this.#on = on;
    this.#open();
  }

  close(): void {
    this.#source?.close();
    clearInterval(this.#polling);
    clearTimeout(this.#retry);
  }

  #open(): void {
    const source = new EventSource(this.#url);
    this.#source = source;
    source.onerror = () => this.#failed();
    // The first message is one of these two. Everything that happens after it is sent, which headers alone do not say.
    source.addEventListener('ready', ({ data }: MessageEvent<string>) => {
      this.#greeted();
      // What happened while nobody listened: only a stream that was resumed by its id has it.
      if ((parseExact(data) as { resumed?: unknown }).resumed !== true) this.#on('reset', null);
    });
    source.addEventListener('reset', () => this.#greeted());
    for (const kind of KINDS)
      source.addEventListener(kind, ({ data }: MessageEvent<string>) => this.#on(kind, data ? parseExact(data) : null));
  }

  #greeted(): void {
    clearInterval(this.#polling);
    this.#polling = undefined;
    this.#state('live');
  }

  #failed(): void {
    this.#state('polling');
    this.#polling ??= setInterval(() => this.#on('reset', null), POLL_MS);
    if (this.#source?.readyState !== EventSource.CLOSED) return;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.#open(), RETRY_MS);
  }
}
