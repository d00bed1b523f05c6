import { readdir, readFile, readlink } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { freePort } from '../../features/support/free-port.ts';
import { Service, until } from '../../features/support/process.ts';
import { startTarget, svcProgram, type Target } from '../../features/support/target.ts';
import type { Database } from '../../kernel/contracts/index.ts';
import type { Provider } from '../../plugins/integrations/accounts/domain/renewal-table.ts';
import { openDatabase } from '../../plugins/platform/database/open-database.ts';
import { createIds, RecordingLog, systemClock } from '../kit/index.ts';
import { connectAccount } from '../support/connect-account.ts';
import { OidcServer } from '../support/oidc-server.ts';
import { TokenProxy } from './token-proxy.ts';

/** A provider that does one thing with refresh tokens, behind its proxy. */
export interface FarSide {
  far: OidcServer;
  proxy: TokenProxy;
}

export interface AccountView {
  name: string;
  status: string;
  renewed_at?: string;
  reason?: string;
  last_error?: string;
}

const RESTS = ['needs_reauth', 'in_doubt', 'disabled'];

/** Servers as processes on one database, and three providers. */
export class KillWorld {
  readonly sides = new Map<Provider, FarSide>();
  readonly scoped: string;
  /** Every server that ran. */
  readonly servers: Service[] = [];
  readonly #target: Target;
  readonly #back: string;
  readonly #urls = new Map<Service, string>();

  private constructor(target: Target, sides: Map<Provider, FarSide>, back: string) {
    this.#target = target;
    this.#back = back;
    this.sides = sides;
    this.scoped = `/api/v1/orgs/${target.org}/projects/main`;
    this.servers.push(target.own!.server);
    this.#urls.set(target.own!.server, target.base_url);
  }

  static async open(pairs: readonly Provider[], database_url?: string): Promise<KillWorld> {
    const port = await freePort();
    const back = `http://127.0.0.1:${port}/connections/callback`;
    const sides = new Map<Provider, FarSide>();
    const settings: object[] = [];
    for (const pair of pairs) {
      const far = new OidcServer();
      const [rotates, revokes] = [pair !== 'keeps', pair === 'rotates_and_revokes'];
      await far.listen({ redirect_uri: back, rotates, revokes });
      const proxy = new TokenProxy(far);
      const capabilities = { rotates_refresh_token: rotates, reuse_revokes_family: revokes };
      settings.push({ ...far.settings(pair, rotates), token_url: await proxy.listen(), capabilities });
      sides.set(pair, { far, proxy });
    }
    const env = {
      SVC_PORT: String(port),
      SVC_LOG_LEVEL: 'debug',
      SVC_CONNECTED_ACCOUNT_PROVIDERS: JSON.stringify(settings),
      SVC_CONNECTED_ACCOUNTS_REDIRECT_URI: back,
    };
    const target = await startTarget({ agents: 0, env, ...(database_url === undefined ? {} : { database_url }) });
    return new KillWorld(target, sides, back);
  }

  async close(): Promise<void> {
    for (const service of this.servers) await service.kill('SIGKILL');
    for (const { far, proxy } of this.sides.values()) {
      await proxy.close();
      await far.close();
    }
    await this.#target.close();
  }

  get folder(): string {
    return this.#target.own!.folder;
  }

  /** Answers its grant. */
  async connect(pair: Provider, name: string): Promise<string> {
    const { token } = this.#target;
    const place = { base_url: this.#url(), token, scoped: this.scoped, back: this.#back };
    const { status, text } = await connectAccount(place, { provider: pair, name, login: 'ana' });
    if (status !== 200) throw new Error(`${name} is not connected: ${text}`);
    return [...this.sides.get(pair)!.far.refresh_tokens.values()].at(-1)!;
  }

  #url(): string {
    return this.#urls.get(this.servers.find((one) => one.running && this.#urls.has(one))!)!;
  }

  /** Asks a server that lives. */
  async ask(path: string, body?: object): Promise<string> {
    const answer = await fetch(`${this.#url()}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${this.#target.token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return answer.text();
  }

  async view(name: string): Promise<AccountView> {
    return JSON.parse(await this.ask(`${this.scoped}/accounts/${name}`)) as AccountView;
  }

  /** The status in which the account has come to rest: renewed, or of no more use. */
  rest(name: string): Promise<AccountView> {
    return until(`the account ${name} to come to rest`, 60_000, async () => {
      const view = await this.view(name);
      const renewed = view.status === 'active' && view.renewed_at !== undefined;
      return renewed || RESTS.includes(view.status) ? view : undefined;
    });
  }

  /** A server more, which listens at the address of the first one, or at any. */
  async start(port?: string): Promise<Service> {
    const { service, url } = await this.#target.own!.startServer(port);
    this.servers.push(service);
    this.#urls.set(service, url);
    return service;
  }

  /** A server that is to die, maybe before it listens. */
  startDoomed(failpoint = ''): Service {
    const { env, folder } = this.#target.own!;
    const service = new Service(svcProgram, ['serve'], { env: { ...env, SVC_FAILPOINTS: failpoint }, cwd: folder });
    this.servers.push(service);
    return service;
  }

  async stopAll(): Promise<void> {
    for (const service of this.servers) await service.kill('SIGTERM');
  }

  /** Works on the database itself: what would take minutes has happened. */
  async alter<T>(work: (database: Database) => Promise<T>): Promise<T> {
    const deps = { clock: systemClock, log: new RecordingLog(), ids: createIds(systemClock) };
    const handle = await openDatabase({ database_url: this.#target.own!.env.SVC_DATABASE_URL! }, deps);
    return work(handle.database).finally(() => handle.close());
  }

  /** Everything that must be seen nowhere. */
  secrets(): string[] {
    return [...this.sides.values()].flatMap(({ far }) => [
      far.client_secret,
      ...far.access_tokens,
      ...far.refresh_tokens.keys(),
    ]);
  }
}

/** Which of these processes holds the other end of this connection (Linux). */
export function ownerOf(end: Socket, services: readonly Service[]): Promise<Service> {
  const { remotePort = 0, localPort = 0 } = end;
  // The list of connections is read piece by piece while others come and go, so that a line can be missed.
  return until(`the owner of the connection from port ${remotePort} to ${localPort}`, 10_000, async () => {
    const inode = await inodeOf(remotePort, localPort);
    for (const service of inode === undefined ? [] : services.filter(({ running }) => running)) {
      const folder = `/proc/${service.child.pid}/fd`;
      for (const name of await readdir(folder))
        if ((await readlink(join(folder, name)).catch(() => '')) === `socket:[${inode}]`) return service;
    }
    return undefined;
  });
}

/** Both ports name a connection: one from the same port may lead to another place, such as the database. */
async function inodeOf(from: number, to: number): Promise<string | undefined> {
  const [local, far] = [from, to].map((port) => `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`);
  const lines = (await readFile('/proc/net/tcp', 'utf8')).split('\n').map((line) => line.trim().split(/\s+/));
  return lines.find((columns) => columns[1] === local && columns[2] === far)?.[9];
}
