import t from 'tap';
import { HttpAddress, HttpRoutes, type JsonSchema, type Route } from '../../kernel/contracts/index.ts';
import { type MatrixServer, openServer, ORG } from '../access/callers.ts';
import { OWN, SAMPLES } from '../access/samples.ts';
import { inPlace, must, type Params } from '../access/sampling.ts';
import { STORES } from '../kit/index.ts';
import { isLong, storesOf } from '../support/length.ts';
import { bounds, type Member, membersOf, withMember } from './members.ts';
import { BODIES, ESCAPES, HEADER_TEXTS, JSON_TEXTS, seeded, some, TEXTS } from '../support/fuzz-values.ts';
import { fault, type Got, type Sent, Wire } from './wire.ts';

// Ten minutes were too few on a machine that had other work.
t.setTimeout(1_800_000);

/** Another one tries other values: `SVC_FUZZ_SEED=7`. */
const SEED = Number(process.env.SVC_FUZZ_SEED ?? 1);
/**
 * Values of each header of each route, of each member of each body, of org and project, and of each other parameter and whole
 * body: the whole lists take minutes. Each route draws its own, so that hundreds of routes try every value many times.
 */
const HEADER_VALUES = 1;
const MEMBER_VALUES = isLong ? 25 : 3;
const SCOPE_VALUES = isLong ? 8 : 2;
const VALUES = isLong ? Number.POSITIVE_INFINITY : 8;
const AT_ONCE = 8;

/** Those that the service reads on any route, or on some without saying so. */
const HEADERS = [
  ...['authorization', 'cookie', 'accept', 'content-type', 'content-encoding', 'user-agent', 'origin', 'referer'],
  ...['x-svc-csrf', 'sec-fetch-site', 'sec-fetch-mode', 'x-request-id', 'x-forwarded-for', 'forwarded', 'host'],
  ...['idempotency-key', 'last-event-id', 'range', 'content-range', 'content-digest', 'repr-digest', 'if-match'],
  ...['if-none-match', 'if-modified-since', 'x-svc-hook-secret', 'x-hub-signature-256', 'prefer', 'traceparent'],
];

/** A request that is valid but for one value. */
interface Case {
  params?: Params;
  /** In the path as it is, for one parameter. */
  raw?: { name: string; text: string };
  query?: string;
  headers?: Record<string, string>;
  body?: string;
}

type Asked = (sent: Sent) => Promise<Got | undefined>;

/** One route, its sample, and what its requests were answered. */
class RouteFuzz {
  readonly #server: MatrixServer;
  readonly #route: Route;
  readonly #name: string;
  readonly #token: string;
  readonly #ask: Asked;
  #made: Promise<Params> | undefined;

  constructor(parts: { server: MatrixServer; route: Route; token: string; ask: Asked }) {
    this.#server = parts.server;
    this.#route = parts.route;
    this.#token = parts.token;
    this.#ask = parts.ask;
    this.#name = `${parts.route.method} ${parts.route.path.replace('*', ':path')}`;
  }

  /** What the path names, made again after a request that may have used it up. */
  #target(): Promise<Params> {
    const { org, project } = OWN;
    const make = async () => ({ org, project, ...(await SAMPLES[this.#name]!.target?.(this.#server, OWN)) });
    return (this.#made ??= make());
  }

  *cases(random: () => number): Iterable<Case> {
    yield {};
    yield* this.#pathCases(random);
    yield* this.#queryCases(random);
    for (const name of new Set([...HEADERS, ...Object.keys(this.#route.headers ?? {}).map((one) => one.toLowerCase())]))
      for (const text of some(random, HEADER_TEXTS, this.#route.headers ? HEADER_VALUES * 8 : HEADER_VALUES))
        yield { headers: { [name]: text } };
    yield* this.#bodyCases(random);
  }

  *#pathCases(random: () => number): Iterable<Case> {
    for (const [, name] of this.#name.matchAll(/:(\w+)/g)) {
      // They stand in nearly every path, and are read in one place.
      const values = name === 'org' || name === 'project' ? SCOPE_VALUES : VALUES;
      for (const text of some(random, TEXTS, values)) yield { params: { [name!]: text } };
      for (const text of some(random, ESCAPES, values)) yield { raw: { name: name!, text } };
    }
  }

  *#queryCases(random: () => number): Iterable<Case> {
    const { properties = {} } = (this.#route.query ?? {}) as { properties?: Record<string, JsonSchema> };
    for (const [name, schema] of Object.entries(properties)) {
      const near = bounds(schema).map((text) => String(JSON.parse(text)));
      for (const text of [...some(random, TEXTS, VALUES), ...near])
        yield { query: `${name}=${encodeURIComponent(text)}` };
      for (const text of some(random, ESCAPES, VALUES)) yield { query: `${name}=${text}` };
      yield { query: `${name}=a&${name}=b` };
      yield { query: `${name}[]=a&${name}[b]=c` };
    }
    for (const query of ['__proto__=1', 'unknown=%F0%9F%8E%89', '=', '&&', '%', '?', 'a'.repeat(9000)]) yield { query };
  }

  *#bodyCases(random: () => number): Iterable<Case> {
    for (const body of BODIES) yield { body };
    const { body: schema } = this.#route;
    if (!schema) return;
    for (const text of some(random, JSON_TEXTS, VALUES * 2)) yield { body: text };
    const { body } = SAMPLES[this.#name]!;
    const members: Member[] = [...membersOf(schema), { path: ['__proto__'], schema: {} }];
    for (const member of members)
      for (const text of [...some(random, JSON_TEXTS, MEMBER_VALUES), ...bounds(member.schema)])
        yield { body: withMember(body, schema, member, text) };
  }

  async try(one: Case): Promise<void> {
    const sample = SAMPLES[this.#name]!;
    const params = { ...(await this.#target()), ...one.params };
    const path = this.#route.path.replace('*', ':path').replaceAll(/:(\w+)/g, (_, name: string) => {
      if (one.raw?.name === name) return one.raw.text;
      return encodeURIComponent(params[name]!);
    });
    const extra = one.query === undefined ? '' : `${sample.query === undefined ? '?' : '&'}${one.query}`;
    const body = one.body ?? (sample.body === undefined ? undefined : JSON.stringify(sample.body));
    const { method } = this.#route;
    const got = await this.#ask({
      method,
      target: `${path}${sample.query ?? ''}${extra}`,
      headers: { ...this.#headers(body), ...one.headers },
      body,
    });
    if (got === undefined || got.status >= 300 || method === 'GET') return;
    if (method !== 'PUT') this.#made = undefined;
    await this.#readBack(path, got);
  }

  #headers(body: string | undefined): Record<string, string> {
    const authorization = `Bearer ${this.#token}`;
    if (body === undefined) return { authorization };
    const length = String(Buffer.byteLength(body));
    return { authorization, 'content-type': 'application/json', 'content-length': length };
  }

  /** What was stored is read: a value that no answer can hold would fail here. */
  async #readBack(path: string, { text }: Got): Promise<void> {
    const headers = this.#headers(undefined);
    const read = (target: string) => this.#ask({ method: 'GET', target, headers });
    if (this.#route.method === 'PUT') await read(path);
    // An export has one object per line.
    const [line = ''] = text.split('\n', 1);
    const { run_id, event } = (line.startsWith('{') ? JSON.parse(line) : {}) as { run_id?: string; event?: string };
    if (typeof run_id === 'string')
      for (const part of ['', '/document', '/input', '/steps', '/logs', '/chain'])
        await read(`${inPlace(OWN)}/runs/${run_id}${part}`);
    if (typeof event === 'string')
      for (const part of ['', '/chain']) await read(`${inPlace(OWN)}/events/${event}${part}`);
  }
}

/** At most so many at once; a case begins when one before it is over. */
async function each(cases: Iterable<Case>, work: (one: Case) => Promise<void>): Promise<void> {
  const left = cases[Symbol.iterator]();
  const walk = async () => {
    for (let next = left.next(); !next.done; next = left.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, walk));
}

for (const store of storesOf(STORES))
  t.test(`${store}: no value in a request is a fault of the server`, async (t) => {
    const server = await openServer(store);
    t.teardown(() => server.close());
    const wire = new Wire(server.use(HttpAddress).base_url());
    t.teardown(() => wire.close());
    const token = async (body: object) => (await must(server, 'owner', 'POST', '/api/v1/tokens', body)).token as string;
    const tokens = {
      person: await token({ name: 'fuzz' }),
      agent: await token({ name: 'fuzz', org: ORG, kind: 'agent' }),
    };
    const faults = new Set<string>();
    let asked = 0;
    const ask: Asked = async (sent) => {
      asked += 1;
      const got = await wire.ask(sent).catch((error: Error) => error);
      const found = got instanceof Error ? `no answer: ${got.message}` : fault(got);
      const { method, target, headers, body } = sent;
      const { authorization: _, ...shown } = headers;
      if (found !== undefined)
        faults.add(`${method} ${target.slice(0, 200)} ${JSON.stringify(shown)} ${body?.slice(0, 300)}: ${found}`);
      return got instanceof Error ? undefined : got;
    };
    const routes = server.use.all(HttpRoutes);
    const reads = routes.filter(({ method, path }) => method === 'GET' && /\/projects\/:project\/[^:]+$/.test(path));
    for (const [at, route] of routes.entries()) {
      const fuzz = new RouteFuzz({
        server,
        route,
        token: tokens[route.access.kind === 'agent' ? 'agent' : 'person'],
        ask,
      });
      await each(fuzz.cases(seeded(SEED + at)), (one) => fuzz.try(one));
      for (const { path } of route.method === 'GET' ? [] : reads)
        await ask({
          method: 'GET',
          target: path.replace('/orgs/:org/projects/:project', inPlace(OWN).slice('/api/v1'.length)),
          headers: { authorization: `Bearer ${tokens.person}` },
        });
    }
    t.same([...faults], [], `of ${asked} requests`);
    t.ok(asked > (isLong ? 10_000 : 5_000), `${asked} requests`);
  });
