import t from 'tap';
import type { AgentHello } from '../../plugins/execution/agents/contract.ts';
import { hello } from '../../plugins/execution/agents/testing/raw-client.ts';
import { boot, STORES, type TestServer } from '../kit/index.ts';
import { isLong, storesOf } from '../support/length.ts';
import { type ChannelAnswer, RawChannel } from './channel.ts';
import { CHANNEL_BODIES, type ChannelBody, placesIn } from './channel-bodies.ts';
import { withMember } from './members.ts';
import { JSON_TEXTS, seeded, some } from '../support/fuzz-values.ts';

t.setTimeout(600_000);

const SEED = Number(process.env.SVC_FUZZ_SEED ?? 1);
/** Of each member; every success of what ends a claim needs a run of its own. */
const VALUES = isLong ? 24 : 6;
const LAST_VALUES = isLong ? 10 : 4;
/** Requests for so many members are under way together. */
const AT_ONCE = 6;
const CAPABILITY = 'fuzzed';
const SOURCE = { source: '#!/bin/sh\ntrue\n', requires: [CAPABILITY] };

/** Around the limits of what records, logs and waits hold. */
const BOUNDS = [
  ...['4096', '10000000', '10000001', '1048577', '253402300799999', '253402300800000', '2251799813685247', '0.5'],
  ...['"YQ"', '"YQ=="', '"_-8="', '"\\u0000="', '"//8="', '"7aCA"', '"AA=="', '"8J+YgPCf"', '"step"', '"call"'],
  JSON.stringify('x'.repeat(1024)),
  JSON.stringify('🎉'.repeat(1024)),
  JSON.stringify('é'.repeat(512)),
  JSON.stringify('x'.repeat(128)),
  JSON.stringify('é'.repeat(64)),
];

const VALUES_OF_ALL = [...BOUNDS, ...JSON_TEXTS];

/** What of a run can be read; explanations and comparisons are made from these. */
const READS = ['', '/steps', '/logs?timestamps=true', '/history', '/chain'];

class ChannelFuzz {
  readonly faults = new Set<string>();
  asked = 0;
  readonly #server: TestServer;
  readonly #token: string;
  readonly #random = seeded(SEED);
  #channel: Promise<RawChannel> | undefined;

  constructor(server: TestServer, token: string) {
    this.#server = server;
    this.#token = token;
  }

  #connected(): Promise<RawChannel> {
    return (this.#channel ??= this.#connect());
  }

  async #connect(): Promise<RawChannel> {
    const channel = await RawChannel.open(this.#server.url, this.#token);
    const given: Partial<AgentHello> = {
      name: 'fuzz',
      capabilities: [CAPABILITY],
      executors: ['script'],
      slots: 10_000,
    };
    const welcome = await channel.ask('hello', JSON.stringify(hello(given)));
    if (!welcome.ok) throw new Error(`the hello was refused: ${JSON.stringify(welcome)}`);
    await channel.ask('ready', '{"free":10000,"seen":0}');
    return channel;
  }

  async #claim(): Promise<{ run_id: string; claim: { activity_id: string; epoch: number } }> {
    const channel = await this.#connected();
    const { json } = await this.#server.call('owner', `POST ${this.#server.scoped}/runs`, SOURCE);
    const { activity_id, epoch } = await channel.assigned(json.run_id as string);
    return { run_id: json.run_id, claim: { activity_id, epoch } };
  }

  #judge(what: string, value: string, { error, closed }: ChannelAnswer): void {
    this.asked += 1;
    if (closed !== undefined) this.faults.add(`${what} = ${value.slice(0, 200)}: closed with ${closed}`);
    const { code, status = 500, message } = error ?? { code: 'ok', status: 200, message: '' };
    if (code === '' || code === 'internal' || (status >= 500 && status !== 503))
      this.faults.add(`${what} = ${value.slice(0, 200)}: ${code} ${message}`);
  }

  /** Every member of one request, each with values that nobody means. */
  async members(one: ChannelBody): Promise<void> {
    const shape = one.body({ activity_id: 'act_x', epoch: 1 }, 0);
    const places = placesIn(shape).filter((path) => one.only?.test(path.join('/')) ?? true);
    const left = places.map((path) => ({
      path,
      values: some(this.#random, VALUES_OF_ALL, one.last ? LAST_VALUES : VALUES),
    }));
    const walk = async () => {
      for (let next = left.pop(); next; next = left.pop()) await this.#place(one, next.path, next.values);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, walk));
  }

  async #place(one: ChannelBody, path: readonly (string | number)[], values: readonly string[]): Promise<void> {
    let held = await this.#claim();
    let position = 0;
    const what = `${one.what} /${path.join('/')}`;
    for (const value of values) {
      const body = one.body(held.claim, position);
      const text = path.length === 0 ? value : withMember(body, {}, { path, schema: {} }, value);
      const answer = await (await this.#connected()).ask(one.op, text);
      this.#judge(what, value, answer);
      if (answer.closed !== undefined) this.#channel = undefined;
      else if (!('ok' in answer)) continue;
      position += 1;
      if (!one.last && answer.closed === undefined) continue;
      await this.#read(held.run_id, `${what} = ${value.slice(0, 200)}`);
      held = await this.#claim();
      position = 0;
    }
    await this.#read(held.run_id, what);
  }

  /** A run that holds what was sent can be read, as it is and when it is over. */
  async #read(run_id: string, what: string): Promise<void> {
    const path = `${this.#server.scoped}/runs/${run_id}`;
    const call = async (line: string, body?: unknown) => {
      const { status, text } = await this.#server.call('owner', line, body);
      this.asked += 1;
      if (status >= 500) this.faults.add(`${line} after ${what}: ${status} ${text.slice(0, 300)}`);
    };
    for (const part of READS) await call(`GET ${path}${part}`);
    await call(`POST ${path}/cancel`, { reason: 'read' });
    await call(`GET ${path}/steps`);
  }

  /** Each on a connection of its own, followed by the list of agents. */
  async hellos(): Promise<void> {
    const shape = { ...hello(), holding: [{ activity_id: 'act_x', epoch: 1 }] };
    for (const path of placesIn(shape))
      for (const value of some(this.#random, VALUES_OF_ALL, LAST_VALUES)) {
        const channel = await RawChannel.open(this.#server.url, this.#token);
        const text = path.length === 0 ? value : withMember(shape, {}, { path, schema: {} }, value);
        const answer = await channel.ask('hello', text);
        // A hello that cannot be read ends the connection after its answer.
        this.#judge(`hello /${path.join('/')}`, value, answer);
        if ('ok' in answer)
          this.#judge(`ready after /${path.join('/')}`, value, await channel.ask('ready', '{"free":0}'));
        await channel.close();
        const { status, text: shown } = await this.#server.call('owner', 'GET /api/v1/agents');
        if (status >= 500) this.faults.add(`GET agents after hello /${path.join('/')} = ${value}: ${shown}`);
      }
  }

  async readies(): Promise<void> {
    for (const path of placesIn({ free: 0, seen: 0 }))
      for (const value of VALUES_OF_ALL) {
        const text = path.length === 0 ? value : withMember({ free: 0, seen: 0 }, {}, { path, schema: {} }, value);
        const channel = await this.#connected();
        this.#judge(`ready /${path.join('/')}`, value, await channel.ask('ready', text));
      }
  }

  async close(): Promise<void> {
    await (await this.#channel)?.close();
    this.#channel = undefined;
  }
}

for (const store of storesOf(STORES))
  t.test(`${store}: nothing that an agent sends is a fault of the server`, async (t) => {
    const server = await boot({ store, access: 'project', env: { SVC_RATE_LIMIT: 'off' } });
    t.teardown(() => server.close());
    const made = await server.call('owner', 'POST /api/v1/tokens', { name: 'fuzz', org: 'acme', kind: 'agent' });
    const fuzz = new ChannelFuzz(server, made.json.token);
    t.teardown(() => fuzz.close());
    for (const one of CHANNEL_BODIES) await fuzz.members(one);
    await fuzz.readies();
    await fuzz.close();
    await fuzz.hellos();
    t.same([...fuzz.faults], [], `of ${fuzz.asked} requests`);
    t.same(server.log.messages('error'), [], 'nothing failed in the background either');
    t.ok(fuzz.asked > (isLong ? 5000 : 1000), `${fuzz.asked} requests`);
  });
