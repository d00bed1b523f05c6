import { WebSocket } from 'ws';

export interface ChannelAnswer {
  ok?: unknown;
  error?: { code: string; message: string; status?: number };
  /** The connection ended without an answer. */
  closed?: number;
}

export interface Pushed {
  activity_id: string;
  epoch: number;
  run_id: string;
}

/** An agent's connection that sends JSON as it is told, whatever stands in it. */
export class RawChannel {
  readonly #socket: WebSocket;
  readonly #asked = new Map<number, (answer: ChannelAnswer) => void>();
  readonly #wanted = new Map<string, (pushed: Pushed) => void>();
  readonly #early = new Map<string, Pushed>();
  #next = 0;
  #closed: number | undefined;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data) => this.#take(JSON.parse((data as Buffer).toString()) as Frame));
    socket.on('close', (code) => {
      this.#closed = code;
      for (const answer of this.#asked.values()) answer({ closed: code });
      this.#asked.clear();
    });
    socket.on('error', () => undefined);
  }

  static async open(url: string, token: string): Promise<RawChannel> {
    const address = `${url.replace('http', 'ws')}/api/v1/agents/connect`;
    const socket = new WebSocket(address, { headers: { authorization: `Bearer ${token}` } });
    const channel = new RawChannel(socket);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    return channel;
  }

  ask(op: string, body: string): Promise<ChannelAnswer> {
    const id = (this.#next += 1);
    if (this.#closed !== undefined) return Promise.resolve({ closed: this.#closed });
    return new Promise((resolve) => {
      this.#asked.set(id, resolve);
      this.#socket.send(`{"id":${id},"op":${JSON.stringify(op)},"body":${body}}`);
    });
  }

  /** The first assignment of a run, which may have arrived before it was asked for. */
  assigned(run_id: string): Promise<Pushed> {
    const early = this.#early.get(run_id);
    if (early) return Promise.resolve(early);
    return new Promise((resolve) => this.#wanted.set(run_id, resolve));
  }

  close(): Promise<void> {
    if (this.#closed !== undefined) return Promise.resolve();
    return new Promise((resolve) => {
      this.#socket.once('close', () => resolve());
      this.#socket.close();
    });
  }

  #take(frame: Frame): void {
    if (frame.id !== undefined) {
      this.#asked.get(frame.id)?.(frame);
      this.#asked.delete(frame.id);
    }
    for (const one of frame.assignments ?? []) {
      if (this.#early.has(one.run_id)) continue;
      this.#early.set(one.run_id, one);
      this.#wanted.get(one.run_id)?.(one);
    }
  }
}

type Frame = ChannelAnswer & { id?: number; push?: string; assignments?: Pushed[] };
