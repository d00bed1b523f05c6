import type { NatsConnection } from '@nats-io/transport-node';
import { type Clock, type Log, Pauses } from '../../../../kernel/contracts/index.ts';
import type { WakeAddress } from '../domain/wake-url.ts';

const CONNECT_MS = 3000;
const RETRY_MIN_MS = 250;
const RETRY_MAX_MS = 5000;
/** A peer that is silent for two of these intervals is considered lost. */
const PING_MS = 5000;

export interface LinkDeps {
  address: WakeAddress;
  subject: string;
  clock: Clock;
  log: Log;
  /** Bytes that another server published on the subject; never this server's own. */
  onMessage(data: Uint8Array): void;
}

/**
 * A connection to NATS that is reopened whenever it breaks, for the lifetime of this process. Messages are dropped
 * while it is down. Log lines and errors never contain user, password or token.
 */
export class NatsLink {
  readonly #deps: LinkDeps;
  #connection: NatsConnection | undefined;
  readonly #pauses: Pauses;
  #complained = false;

  constructor(deps: LinkDeps) {
    this.#deps = deps;
    this.#pauses = new Pauses(deps.clock);
  }

  get connected(): boolean {
    return this.#connection !== undefined;
  }

  /** Connects in the background. The returned function closes the connection and resolves when everything is closed. */
  start(): () => Promise<void> {
    const running = this.#run();
    return async () => {
      this.#pauses.stop();
      await this.#connection?.close();
      await running;
    };
  }

  /** Returns true when NATS accepted the message. Delivery is not guaranteed. */
  publish(data: string): boolean {
    if (this.#connection === undefined) return false;
    try {
      this.#connection.publish(this.#deps.subject, data);
      return true;
    } catch {
      // The connection is closing or full. Losing a hint is harmless.
      return false;
    }
  }

  async #run(): Promise<void> {
    let retry_ms = RETRY_MIN_MS;
    while (!this.#pauses.stopped) {
      const lasted = await this.#runSession();
      if (this.#pauses.stopped) return;
      retry_ms = lasted ? RETRY_MIN_MS : Math.min(retry_ms * 2, RETRY_MAX_MS);
      await this.#pauses.wait(retry_ms);
    }
  }

  /** One connection from open to close; false when it could not be opened. */
  async #runSession(): Promise<boolean> {
    const { log, address } = this.#deps;
    const servers = address.servers.join(', ');
    let connection: NatsConnection | undefined;
    try {
      connection = await this.#connect();
      await this.#subscribe(connection);
    } catch (error) {
      await connection?.close();
      if (!this.#complained)
        log.warn({ servers, reason: errorName(error) }, 'NATS cannot be reached; servers poll until it is reachable');
      this.#complained = true;
      return false;
    }
    this.#complained = false;
    log.info({ servers }, 'wake-ups are sent over NATS');
    this.#connection = this.#pauses.stopped ? undefined : connection;
    if (this.#pauses.stopped) await connection.close();
    const close_error = await connection.closed();
    this.#connection = undefined;
    if (!this.#pauses.stopped)
      log.warn(
        { servers, reason: errorName(close_error) },
        'the connection to NATS is lost; servers poll until it is back',
      );
    return true;
  }

  async #connect(): Promise<NatsConnection> {
    // Loaded only when used: it costs start time and memory.
    const { connect } = await import('@nats-io/transport-node');
    const { servers, user, pass, token, tls } = this.#deps.address;
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

  /** Resolves when NATS knows the subscription; every later message is received. */
  async #subscribe(connection: NatsConnection): Promise<void> {
    const { subject, onMessage } = this.#deps;
    connection.subscribe(subject, {
      callback: (error, message) => {
        if (error === null) onMessage(message.data);
        // The cause may be a missing permission. A connection that receives nothing is useless.
        else void connection.close();
      },
    });
    await connection.flush();
  }
}

/** Returns only the class of the error, because its message could reveal connection details. */
const errorName = (error: unknown): string => (error instanceof Error ? error.name : 'the connection was closed');
