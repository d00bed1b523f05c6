import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  type Access,
  type AccessControl,
  type Cancel,
  type Clock,
  type Database,
  isServiceError,
  type Log,
  type Principal,
  type Upgrade,
} from '../../../kernel/contracts/index.ts';
import { WebSocketServer } from 'ws';
import { type AgentSessions, MAX_FRAME_BYTES } from '../contract.ts';
import { CLOSE_REFUSED, CLOSE_RESTART, Connection, STRIKES } from './connection.ts';

export interface EndpointParts {
  sessions: AgentSessions;
  access: () => AccessControl;
  /** As of `Database`: agents go to another server when this one may not work any more. */
  retired: Database['retired'];
  clock: Clock;
  log: Log;
  lease_ms: number;
}

/** A connection whose token was revoked or expired ends within two leases, and at most within this time. */
const REAUTHENTICATE_MS = 30_000;
const CLOSE_BOUND_MS = 1000;
const MAX_SILENCE_MS = 30_000;

/** `GET /api/v1/agents/connect`: the WebSocket endpoint of agents. */
export class ChannelEndpoint implements Upgrade {
  readonly path = '/api/v1/agents/connect';
  readonly access: Access = { kind: 'agent' };
  readonly #parts: EndpointParts;
  readonly #server: WebSocketServer;
  readonly #connections = new Map<Connection, { authorization: string | undefined; ip: string; checked_at: number }>();
  readonly #silence_ms: number;
  #cancelCheck: Cancel | undefined;
  #stopped = false;

  constructor(parts: EndpointParts) {
    this.#parts = parts;
    this.#silence_ms = Math.min(MAX_SILENCE_MS, parts.lease_ms * 1.5);
    this.#server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      maxPayload: MAX_FRAME_BYTES,
      // Large frames are compressed where they are made: see frames.ts.
      perMessageDeflate: false,
    });
  }

  start(): void {
    this.#cancelCheck = this.#parts.clock.after(
      this.#silence_ms / STRIKES,
      () => {
        for (const connection of this.#connections.keys()) connection.check();
        this.#reauthenticate();
        if (this.#parts.retired()) this.#sendAway();
        if (!this.#stopped) this.start();
      },
      { unref: true },
    );
  }

  accept(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    { principal, ip }: { principal: Principal; ip: string },
  ): void {
    this.#server.handleUpgrade(request, socket, head, (ws) => {
      const { clock, log, sessions } = this.#parts;
      const org_id = principal.org_id;
      // A session without an org would claim the work of every org.
      if (org_id === null) return ws.close(CLOSE_REFUSED, 'the token does not belong to an org');
      if (this.#stopped || this.#parts.retired()) return ws.close(CLOSE_RESTART, 'the server is stopping');
      const identity = { token_id: principal.token_id, org_id, project_id: principal.project_id ?? undefined };
      const closed = (connection: Connection) => this.#connections.delete(connection);
      const parts = { sessions, identity, clock, log, greeting_ms: this.#silence_ms, closed };
      const connection = new Connection(ws, socket, parts);
      const { authorization } = request.headers;
      this.#connections.set(connection, { authorization, ip, checked_at: clock.monotonic() });
    });
  }

  /** Tells every agent to reconnect to another server. Agents keep their claims and repeat unanswered requests. */
  drain(): void {
    this.#stopped = true;
    this.#cancelCheck?.();
    this.#sendAway();
  }

  #sendAway(): void {
    for (const connection of this.#connections.keys()) connection.close(CLOSE_RESTART, 'the server is stopping');
  }

  /** Resolves when every connection is closed and its last request is answered. */
  async stop(): Promise<void> {
    this.drain();
    const connections = [...this.#connections.keys()];
    const cancel = this.#parts.clock.after(CLOSE_BOUND_MS, () => {
      for (const connection of connections) connection.terminate();
    });
    await Promise.all(connections.map((connection) => connection.done()));
    cancel();
    this.#server.close();
  }

  #reauthenticate(): void {
    const now = this.#parts.clock.monotonic();
    for (const [connection, known] of this.#connections) {
      if (now - known.checked_at < Math.min(REAUTHENTICATE_MS, this.#parts.lease_ms * 2)) continue;
      known.checked_at = now;
      this.#parts
        .access()
        .authenticate(known.authorization, known.ip)
        .catch((error) => {
          if (isServiceError(error, 'not_authenticated'))
            connection.close(CLOSE_REFUSED, 'the token is no longer valid');
          else this.#parts.log.warn({ reason: (error as Error).message }, "checking an agent's token failed; retrying");
        });
    }
  }
}
