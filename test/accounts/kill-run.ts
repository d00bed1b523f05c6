import { until } from '../../features/support/process.ts';
import type { Provider } from '../../plugins/integrations/accounts/domain/renewal-table.ts';
import { hits, scanFolder, scanMysql } from '../vault/scan.ts';
import { DOWN, expected, type KillPoint } from './kill-points.ts';
import { type AccountView, KillWorld, ownerOf } from './kill-world.ts';

export interface KillPlan {
  pairs: readonly Provider[];
  ways: readonly KillPoint[];
  deaths: readonly (readonly [Provider, KillPoint])[];
  servers: 1 | 2;
  /** Providers that are down for a while. */
  down?: readonly Provider[];
  /** So many accounts more, all due at once, whose provider is slow. */
  crowd?: number;
  /** Of two servers the one that sent is killed, and the other goes on; once for each of these. */
  orphans?: readonly (readonly [Provider, KillPoint])[];
  database_url?: string;
}

export interface KillResult {
  /** What was to become of each case, and what became of it: `pair/point: status, presented n times`. */
  wanted: string[];
  found: string[];
  /** Accounts with two requests under way at once. */
  overlaps: string[];
  /** Doomed servers that lived on. */
  survived: string[];
  /** Where a token or a secret was seen. */
  leaks: string[];
  scanned: number;
  /** Events that were looked at. */
  events: number;
}

interface Case {
  name: string;
  pair: Provider;
  point: KillPoint;
  grant: string;
  /** The refresh token of the beginning. */
  token: string;
}

export async function killRun(plan: KillPlan): Promise<KillResult> {
  const world = await KillWorld.open(plan.pairs, plan.database_url);
  try {
    return await new KillRun(world, plan).run();
  } finally {
    await world.close();
  }
}

class KillRun {
  readonly #world: KillWorld;
  readonly #plan: KillPlan;
  readonly #cases: Case[] = [];
  readonly #result: KillResult = {
    wanted: [],
    found: [],
    overlaps: [],
    survived: [],
    leaks: [],
    scanned: 0,
    events: 0,
  };

  constructor(world: KillWorld, plan: KillPlan) {
    this.#world = world;
    this.#plan = plan;
  }

  async run(): Promise<KillResult> {
    const { pairs, ways, deaths, crowd = 0, orphans = [], down = [], servers } = this.#plan;
    for (const pair of pairs) for (const point of ways) await this.#prepare(pair, point);
    for (let nth = 1; nth <= crowd; nth += 1)
      await this.#prepare(pairs.at(-1)!, { name: `crowd-${nth}`, fault: 'delay', situation: 'granted', taken: true });
    const doomed: Case[] = [];
    for (const [pair, point] of deaths) doomed.push(await this.#prepare(pair, point));
    await this.#world.stopAll();
    for (const one of doomed) await this.#die(one);
    await this.#dueNow(this.#cases);
    // Both look at what is due the moment they start.
    await Promise.all(Array.from({ length: servers }, (_, nth) => this.#world.start(nth === 0 ? undefined : '0')));
    for (const one of this.#cases) await this.#settle(one);
    for (const pair of down) await this.#down(pair);
    for (const [pair, point] of orphans) await this.#orphan(pair, point);
    for (const { proxy } of this.#world.sides.values()) this.#result.overlaps.push(...proxy.overlaps);
    await this.#scan();
    return this.#result;
  }

  async #prepare(pair: Provider, point: KillPoint): Promise<Case> {
    const { far, proxy } = this.#world.sides.get(pair)!;
    const name = `${pair.replaceAll('_', '-')}-${point.name}`;
    const grant = await this.#world.connect(pair, name);
    const one = { name, pair, point, grant, token: [...far.refresh_tokens.keys()].at(-1)! };
    if (point.fault) proxy.plans.set(grant, point.fault);
    if (point.ended) await far.end(grant);
    this.#cases.push(one);
    return one;
  }

  /** One server that dies at the point, with nothing else to do. */
  async #die({ name, pair, point, grant }: Case): Promise<void> {
    const world = this.#world;
    await world.alter((database) => database.write('UPDATE accounts_accounts SET due_at = 1 WHERE name = ?', [name]));
    const { proxy } = world.sides.get(pair)!;
    const server = world.startDoomed(point.failpoint);
    await until(`the server to come to ${point.name}`, 60_000, async () => {
      if (proxy.held.has(grant)) await server.kill('SIGKILL');
      return !server.running || undefined;
    });
    if (server.child.signalCode !== 'SIGKILL') this.#result.survived.push(`${name}: ${server.log}`);
    await world.alter((database) =>
      database.write('UPDATE accounts_accounts SET due_at = NULL WHERE name = ?', [name]),
    );
  }

  /** The minute is over after which an intent without an outcome counts as lost. */
  #dueNow(cases: readonly Case[]): Promise<void> {
    return this.#world.alter(async (database) => {
      for (const { name } of cases) {
        await database.write('UPDATE accounts_renewals SET until_at = 1 WHERE name = ?', [name]);
        await database.write('UPDATE accounts_accounts SET due_at = 1 WHERE name = ?', [name]);
      }
    });
  }

  /** Of two servers the one that sent it is killed while it waits. */
  async #orphan(pair: Provider, point: KillPoint): Promise<void> {
    const one = await this.#prepare(pair, { ...point, name: `orphan-${point.name}` });
    await this.#dueNow([one]);
    const { proxy } = this.#world.sides.get(pair)!;
    const socket = await until('a server to send', 60_000, async () => proxy.held.get(one.grant));
    const sender = await ownerOf(socket, this.#world.servers);
    await sender.kill('SIGKILL');
    await this.#dueNow([one]);
    await this.#settle(one);
    await this.#world.start('0');
  }

  async #down(pair: Provider): Promise<void> {
    const one = await this.#prepare(pair, DOWN);
    const { proxy } = this.#world.sides.get(pair)!;
    await proxy.close();
    await this.#dueNow([one]);
    await until('a renewal to fail', 60_000, async () => (await this.#world.view(one.name)).last_error);
    await proxy.open();
    await this.#settle(one);
  }

  async #settle({ name, pair, point, token }: Case): Promise<void> {
    const view: AccountView = await this.#world.rest(name);
    const { proxy } = this.#world.sides.get(pair)!;
    const times = proxy.presented.filter((one) => one.token === token).length;
    const { status, presented } = expected(pair, point);
    this.#result.wanted.push(`${pair}/${point.name}: ${status}, presented ${presented} times`);
    this.#result.found.push(`${pair}/${point.name}: ${view.status}, presented ${times} times`);
  }

  /** Logs, answers, and what is stored. */
  async #scan(): Promise<void> {
    const world = this.#world;
    const needles = world
      .secrets()
      .flatMap((text) => [Buffer.from(text), Buffer.from(Buffer.from(text).toString('base64').replace(/=+$/, ''))]);
    const { events } = JSON.parse(await world.ask(`${world.scoped}/events?limit=200`)) as {
      events: { event: string }[];
    };
    this.#result.events = events.length;
    const lists = ['accounts', 'audit', 'events'].map((list) => `${world.scoped}/${list}?limit=200`);
    lists.push(...events.map(({ event }) => `${world.scoped}/events/${event}`));
    const ones = this.#cases.flatMap(({ name }) =>
      ['', '/uses'].map((end) => `${world.scoped}/accounts/${name}${end}`),
    );
    for (const path of [...lists, ...ones, '/metrics']) this.#look(path, await world.ask(path), needles);
    const uses = Object.fromEntries(this.#cases.slice(0, 50).map(({ name }, nth) => [`TOKEN_${nth}`, name]));
    const refusal = await world.ask(`${world.scoped}/runs`, { source: 'true', credentials: uses });
    this.#look('a refusal', refusal, needles);
    await world.stopAll();
    for (const [nth, { log }] of world.servers.entries()) this.#look(`log of server ${nth}`, log, needles);
    const { database_url } = this.#plan;
    const stored = await (database_url ? scanMysql(database_url, needles) : scanFolder(world.folder, needles));
    this.#result.leaks.push(...stored.hits);
    this.#result.scanned += stored.bytes;
  }

  #look(what: string, text: string, needles: readonly Buffer[]): void {
    const data = Buffer.from(text);
    this.#result.scanned += data.length;
    this.#result.leaks.push(...hits(what, data, needles));
  }
}
