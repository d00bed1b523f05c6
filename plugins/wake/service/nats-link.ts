import type { NatsConnection } from '@nats-io/transport-node';
import type { Cancel, Clock, Log } from '../../../kernel/contracts/index.ts';
import type { WakeAddress } from '../domain/wake-url.ts';

const CONNECT_MS = 3000;
const RETRY_MIN_MS = 250;
const RETRY_MAX_MS = 5000;
/** A peer that is silent for two of these is gone. */
const PING_MS = 5000;

export interface LinkParts {
  address: WakeAddress;
  subject: string;
  clock: Clock;
  log: Log;
  /** Bytes that somebody published on the subject; never our own. */
  onMessage(data: Uint8Array): void;
}

/**
 * A connection to NATS that is made anew whenever it breaks, for as long as this process lives. What is said while there
 * is none is not kept. Neither its log lines nor its errors hold the user, the password or the token.
 */
export class NatsLink {
  readonly #parts: LinkParts;
  #connection: NatsConnection | undefined;
  #stopped = false;
  /** Ends the present pause; a no-op between pauses. */
  #wake: () => void = () => {};
  #complained = false;

  constructor(parts: LinkParts) {
    this.#parts = parts;
  }

  get connected(): boolean {
    return this.#connection !== undefined;
  }

  /** Connects in the background; the returned function closes and resolves when nothing is left open. */
  start(): () => Promise<void> {
    const running = this.#run();
    return async () => {
      this.#stopped = true;
      this.#wake();
      await this.#connection?.close();
      await running;
    };
  }

  /** True when it was handed over; that somebody gets it is not said. */
  publish(data: string): boolean {
    if (this.#connection === undefined) return false;
    try {
      this.#connection.publish(this.#parts.subject, data);
      return true;
    } catch {
      // It closes just now, or does not take as much: a hint is lost, which is no fault.
      return false;
    }
  }

  async #run(): Promise<void> {
    let retry_ms = RETRY_MIN_MS;
    while (!this.#stopped) {
      const lasted = await this.#session();
      if (this.#stopped) return;
      retry_ms = lasted ? RETRY_MIN_MS : Math.min(retry_ms * 2, RETRY_MAX_MS);
      await this.#pause(retry_ms);
    }
  }

  /** One connection from its first to its last moment; false when none came about. */
  async #session(): Promise<boolean> {
    const { log, address } = this.#parts;
    const servers = address.servers.join(', ');
    let connection: NatsConnection | undefined;
    try {
      connection = await this.#connect();
      await this.#subscribe(connection);
    } catch (error) {
      await connection?.close();
      if (!this.#complained) log.warn({ servers, reason: reasonOf(error) }, 'NATS cannot be reached; servers poll');
      this.#complained = true;
      return false;
    }
    this.#complained = false;
    log.info({ servers }, 'wake-ups go by NATS');
    this.#connection = this.#stopped ? undefined : connection;
    if (this.#stopped) await connection.close();
    const fault = await connection.closed();
    this.#connection = undefined;
    if (!this.#stopped) log.warn({ servers, reason: reasonOf(fault) }, 'NATS is gone; servers poll until it is back');
    return true;
  }

  async #connect(): Promise<NatsConnection> {
    // Loaded only where it is used: it costs start time and memory.
    const { connect } = await import('@nats-io/transport-node');
    const { servers, user, pass, token, tls } = this.#parts.address;
    return connect({
      servers,
      ...(token === undefined ? {} : { token }),
      ...(user === undefined ? {} : { user, pass: pass ?? '' }),
      ...(tls ? { tls: {} } : {}),
      name: 'svc',
      noEcho: true,
      reconnect: false,
      timeout: CONNECT_MS,
      pingInterval: PING_MS,
    });
  }

  /** Known to the server when it resolves: what is published from then on is heard. */
  async #subscribe(connection: NatsConnection): Promise<void> {
    const { subject, onMessage } = this.#parts;
    connection.subscribe(subject, {
      callback: (error, message) => {
        if (error === null) onMessage(message.data);
        // Not allowed, for example: a connection that hears nothing is none.
        else void connection.close();
      },
    });
    await connection.flush();
  }

  async #pause(delay_ms: number): Promise<void> {
    let resume: () => void = () => {};
    const resumed = new Promise<void>((resolve) => {
      resume = resolve;
    });
    const cancel: Cancel = this.#parts.clock.after(delay_ms, resume, { unref: true });
    this.#wake = resume;
    await resumed;
    cancel();
    this.#wake = () => {};
  }
}

/** The kind of fault, not its text: that could tell of what the connection was made with. */
const reasonOf = (error: unknown): string => (error instanceof Error ? error.name : 'the connection was closed');
