import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type AccessControl,
  type Clock,
  Errors,
  type Principal,
  type ServiceError,
} from '../../../../kernel/contracts/index.ts';
import type { InstantClaims, JobEnvironments, UnderWay } from '../../../engine/runs/contract.ts';
import { ChannelEndpoint } from '../channel/endpoint.ts';
import type { SlotLimits } from '../sessions/slot-tracker.ts';
import { Sessions } from '../sessions/sessions.ts';
import { ids, keepingLog, MemoryTable, TestWakeups } from './doubles.ts';
import { MemoryStore } from './memory-store.ts';
import { systemClock } from '../../../../test/kit/index.ts';

export interface ServerOptions {
  store?: MemoryStore;
  lease_ms?: number;
  environments?: JobEnvironments;
  instant?: InstantClaims;
  under_way?: UnderWay;
  slot_limits?: Partial<SlotLimits>;
  clock?: Clock;
  /** Agents of one org at a time. */
  most_of_org?: number;
  /** Bytes that all connections keep in memory. */
  max_buffered_bytes?: number;
  has_several_orgs?: boolean;
}

const UNBOUNDED = { trusted: Infinity, untrusted: Infinity };

const TOKENS: Record<string, Principal> = {
  'Bearer svc_agt_one': { kind: 'agent', id: 'tok_1', name: 'one', token_id: 'tok_1', org_id: 'org_1' },
  'Bearer svc_agt_two': { kind: 'agent', id: 'tok_2', name: 'two', token_id: 'tok_2', org_id: 'org_1' },
  'Bearer svc_agt_rival': { kind: 'agent', id: 'tok_3', name: 'rival', token_id: 'tok_3', org_id: 'org_2' },
};

/** The server's side with real sockets: sessions, dispatcher and channel over `node:http`. */
export class TestServer {
  readonly store: MemoryStore;
  readonly wakeups = new TestWakeups();
  readonly table = new MemoryTable();
  readonly log = keepingLog();
  readonly sessions: Sessions;
  readonly channel: ChannelEndpoint;
  /** If set, upgrades are answered with this status instead. */
  refuse: number | undefined;
  /** Whether the database has retired this server. */
  retired: ServiceError | undefined;
  handedOver = 0;
  readonly #http: Server = createServer();
  #port = 0;

  constructor({
    store = new MemoryStore(),
    lease_ms = 5000,
    environments,
    instant,
    under_way,
    slot_limits,
    clock = systemClock,
    most_of_org,
    max_buffered_bytes,
    has_several_orgs = false,
  }: ServerOptions = {}) {
    this.store = store;
    const empty = { environment: async () => ({ below: [], workflow: {}, above: [] }) };
    const shared = { clock, log: this.log, lease_ms };
    this.sessions = new Sessions({
      ...shared,
      ids,
      store,
      in_flight: under_way ?? { tell: async () => undefined, forget: () => undefined },
      environments: environments ?? empty,
      scopes: { hasSeveralOrgs: async () => has_several_orgs },
      eager_claims: instant ?? { join: () => () => undefined },
      wakeups: this.wakeups,
      table: this.table,
      slot_limits: { run: UNBOUNDED, project: UNBOUNDED, ...slot_limits },
      untrustedSlots: (slots) => Math.max(1, Math.floor(slots / 2)),
      server: 'test',
      onAssigned: (count) => {
        this.handedOver += count;
      },
    });
    const access: AccessControl = {
      authenticate: async (header) => {
        const principal = TOKENS[header ?? ''];
        if (!principal) throw Errors.notAuthenticated('the server does not know this token');
        return principal;
      },
      authorize: async () => ({ org_id: '', org: '', project_id: '', project: '' }),
    };
    this.channel = new ChannelEndpoint({
      ...shared,
      sessions: this.sessions,
      access: () => access,
      retired: () => this.retired,
      most_of_org,
      max_buffered_bytes,
    });
    this.#http.on('upgrade', (request, socket, head) => {
      const principal = this.refuse === undefined ? TOKENS[request.headers.authorization ?? ''] : undefined;
      const problem = JSON.stringify({ title: 'No.', detail: 'the server does not know this token' });
      const answer = `HTTP/1.1 ${this.refuse ?? 401} No\r\nContent-Length: ${problem.length}\r\nConnection: close\r\n\r\n${problem}`;
      if (principal) this.channel.accept(request, socket, head, { principal, ip: '' });
      else socket.end(answer);
    });
  }

  get port(): number {
    return this.#port;
  }

  async start(port = 0): Promise<this> {
    await this.sessions.start();
    this.channel.start();
    await new Promise<void>((resolve) => this.#http.listen(port, '127.0.0.1', resolve));
    this.#port = (this.#http.address() as AddressInfo).port;
    return this;
  }

  async stop(): Promise<void> {
    await this.channel.stop();
    await this.sessions.stop();
    await new Promise((resolve) => this.#http.close(resolve));
  }
}
