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
} from '../../../../kernel/contracts/index.ts';
import { WebSocketServer } from 'ws';
import { type AgentSessions, MAX_FRAME_BYTES } from '../contract.ts';
import { BufferedBytes } from './buffered-bytes.ts';
import { CLOSE_FULL, CLOSE_POLICY, CLOSE_RESTART, Connection, STRIKES } from './connection.ts';

export interface EndpointDeps {
  sessions: AgentSessions;
  access: () => AccessControl;
  /** Whether the database has retired this server, so that agents must move to another one. */
  retired: Database['retired'];
  clock: Clock;
  log: Log;
  lease_ms: number;
  /** Agents of one org at this server at a time. */
  most_of_org?: number;
  /** Bytes that all connections keep in memory. */
  max_buffered_bytes?: number;
}

/** A connection whose token was revoked or expired ends within two leases, at most within this time. */
const REAUTHENTICATE_MS = 30_000;
const CLOSE_BOUND_MS = 1000;
const MAX_SILENCE_MS = 30_000;
/** Agents hold their connections for as long as they run: no org takes the places of all others. */
const MOST_OF_AN_ORG = 5000;
/** Many times what agents hold that read, and finish their frames. */
const MAX_BUFFERED_BYTES = 512 * 1024 * 1024;
const REPORT_MS = 60_000;

/** Serves `GET /api/v1/agents/connect`, the WebSocket endpoint of agents. */
export class ChannelEndpoint implements Upgrade {
  readonly path = '/api/v1/agents/connect';
  readonly access: Access = { kind: 'agent' };
  readonly #deps: EndpointDeps;
  readonly #server: WebSocketServer;
  readonly #connections = new Map<Connection, { authorization: string | undefined; ip: string; checked_at: number }>();
  readonly #orgs = new Map<string, number>();
  readonly #buffered: BufferedBytes;
  #reported_at = -Infinity;
  readonly #silence_ms: number;
  #cancelCheck: Cancel | undefined;
  #stopped = false;

  constructor(deps: EndpointDeps) {
    this.#deps = deps;
    this.#buffered = new BufferedBytes(deps.max_buffered_bytes ?? MAX_BUFFERED_BYTES);
    this.#silence_ms = Math.min(MAX_SILENCE_MS, deps.lease_ms * 1.5);
    this.#server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      maxPayload: MAX_FRAME_BYTES,
      // Large frames are compressed where they are created; see frames.ts.
      perMessageDeflate: false,
    });
  }

  start(): void {
    this.#cancelCheck = this.#deps.clock.after(
      this.#silence_ms / STRIKES,
      () => {
        for (const connection of this.#connections.keys()) connection.check();
        this.#reauthenticate();
        if (this.#deps.retired()) this.#closeAll();
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
      const { clock, log, sessions } = this.#deps;
      const org_id = principal.org_id;
      // A session without an org could claim the work of every org.
      if (org_id === null) return ws.close(CLOSE_POLICY, 'the token does not belong to an org');
      if (this.#stopped || this.#deps.retired()) return ws.close(CLOSE_RESTART, 'the server is stopping');
      const most = this.#deps.most_of_org ?? MOST_OF_AN_ORG;
      if ((this.#orgs.get(org_id) ?? 0) >= most)
        return ws.close(CLOSE_FULL, `the org has ${most} agents connected to this server, which is its limit`);
      const identity = { token_id: principal.token_id, org_id, project_id: principal.project_id ?? undefined };
      const onBuffered = (connection: Connection) => this.#limitBuffered(connection);
      const onClosed = (connection: Connection) => {
        this.#buffered.remove(connection);
        if (this.#connections.delete(connection)) this.#count(org_id, -1);
      };
      const deps = { sessions, identity, clock, log, hello_timeout_ms: this.#silence_ms, onBuffered, onClosed };
      const connection = new Connection(ws, socket, deps);
      const { authorization } = request.headers;
      this.#connections.set(connection, { authorization, ip, checked_at: clock.monotonic() });
      this.#count(org_id, 1);
    });
  }

  /** Breaks connections that hold too much, and reports it once a minute. */
  #limitBuffered(connection: Connection): void {
    const [broken] = this.#buffered.track(connection);
    const now = this.#deps.clock.monotonic();
    if (broken === undefined || now - this.#reported_at < REPORT_MS) return;
    this.#reported_at = now;
    this.#deps.log.warn(
      { org_id: broken.org_id },
      "closed agents' connections because their unfinished or unread frames used too much of the server's memory",
    );
  }

  #count(org_id: string, by: 1 | -1): void {
    const now = (this.#orgs.get(org_id) ?? 0) + by;
    if (now > 0) this.#orgs.set(org_id, now);
    else this.#orgs.delete(org_id);
  }

  /** Makes every agent reconnect to another server. Agents keep their claims and repeat unanswered requests. */
  drain(): void {
    this.#stopped = true;
    this.#cancelCheck?.();
    this.#closeAll();
  }

  #closeAll(): void {
    for (const connection of this.#connections.keys()) connection.close(CLOSE_RESTART, 'the server is stopping');
  }

  /** Resolves when every connection is closed and its last request is answered. */
  async stop(): Promise<void> {
    this.drain();
    const connections = [...this.#connections.keys()];
    const cancel = this.#deps.clock.after(CLOSE_BOUND_MS, () => {
      for (const connection of connections) connection.terminate();
    });
    await Promise.all(connections.map((connection) => connection.whenDone()));
    cancel();
    this.#server.close();
  }

  #reauthenticate(): void {
    const now = this.#deps.clock.monotonic();
    for (const [connection, authentication] of this.#connections) {
      if (now - authentication.checked_at < Math.min(REAUTHENTICATE_MS, this.#deps.lease_ms * 2)) continue;
      authentication.checked_at = now;
      this.#deps
        .access()
        .authenticate(authentication.authorization, authentication.ip)
        .catch((error) => {
          if (isServiceError(error, 'not_authenticated'))
            connection.close(CLOSE_POLICY, 'the token is no longer valid');
          else this.#deps.log.warn({ reason: (error as Error).message }, "checking an agent's token failed; retrying");
        });
    }
  }
}
