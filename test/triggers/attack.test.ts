import type { ServerResponse } from 'node:http';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { Database } from '../../kernel/contracts/index.ts';
import { boot, type TestServer, until } from '../kit/index.ts';
import { FarEnd, listConnector, sendJson } from './far-end.ts';

t.setTimeout(600_000);

const CANARY = 'canary-of-the-trigger-4711';
const folder = await mkdtemp(join(tmpdir(), 'svc-triggers-'));
const far = await FarEnd.open();
const paged = { paginate: { kind: 'cursor', items: 'body.items', next: 'body.next', query: 'page' }, items: undefined };
const connectors = {
  list: listConnector({ cursor: { of: 'items', value: 'item.at' } }),
  pages: listConnector({ ...paged, cursor: { of: 'response', value: 'body.token' } }, 'pages'),
};
for (const [name, text] of Object.entries(connectors)) await writeFile(join(folder, `${name}.json`), text);
const server: TestServer = await boot({
  access: 'project',
  env: { SVC_CONNECTORS: folder, SVC_EGRESS_ALLOW: '127.0.0.1' },
});
t.teardown(async () => {
  await server.close();
  far.close();
  await rm(folder, { recursive: true, force: true });
});
const ok = async (line: string, body?: unknown) => {
  const answer = await server.call('admin', line, body);
  if (answer.status >= 300) throw new Error(`${line}: ${answer.status} ${JSON.stringify(answer.json)}`);
  return answer.json;
};
const path = (name: string) => `${server.scoped}/triggers/${name}`;
await ok(`PUT ${server.scoped}/credentials/bot`, { kind: 'bearer', token: CANARY });
const config = (more: object = {}) => ({
  ...{ connector: 'list', trigger: 'item', credential: 'bot', from: 'beginning', with: { base_url: far.url } },
  ...more,
});

const redirect = (response: ServerResponse): void => {
  response.writeHead(302, { location: 'http://169.254.169.254/' });
  response.end();
};

let count = 0;
/** Sets a trigger whose far end answers like this, and returns it after its first poll. */
async function poll(reply: FarEnd['reply'], more: object = {}) {
  const name = `t${(count += 1)}`;
  far.reply = reply;
  await ok(`PUT ${path(name)}`, config(more));
  const view = await until(async () => {
    const shown = await ok(`GET ${path(name)}`);
    return shown.last_poll === undefined ? undefined : shown;
  });
  return { name, view };
}

const eventsOf = async (name: string): Promise<number> => {
  const rows = await server
    .use(Database)
    .read<{ n: number }>('SELECT COUNT(*) AS n FROM bus_events WHERE source_name = ?', [name]);
  return Number(rows[0]!.n);
};

t.test('answers that cannot be used fail the poll with a reason, and nothing is recorded', async (t) => {
  const cases: [string, FarEnd['reply'], RegExp, object?][] = [
    ['garbage', (_, response) => response.end('\u0000not json'), /items/],
    ['a list of nulls', (_, response) => sendJson(response, { items: [null] }), /id/],
    ['an ID that is an object', (_, response) => sendJson(response, { items: [{ id: {}, at: 1 }] }), /id is neither/],
    [
      'an ID that grows',
      (_, response) => sendJson(response, { items: [{ id: 'x'.repeat(9999), at: 1 }] }),
      /512 characters/,
    ],
    [
      'a cursor that grows',
      (_, response) => sendJson(response, { items: [{ id: 1, at: 'x'.repeat(9999) }] }),
      /4096 bytes/,
    ],
    [
      'a key with control characters',
      (_, response) => sendJson(response, { items: [{ id: '\u0001', at: 1 }] }),
      /control/,
    ],
    ['a redirect inward', (_, response) => redirect(response), /302/],
    ['a broken connection', (_, response) => void response.destroy(), /\w/],
    ['an endless answer', (_, response) => void response.write('x'.repeat(3 * 1024 * 1024)), /\w/],
    ['the credential in an error', (_, response) => sendJson(response, `no ${CANARY}`, 500), /no \*\*\*/],
    [
      'the same page for ever',
      (_, response) => sendJson(response, { items: [], next: 'a' }),
      /page before/,
      { connector: 'pages' },
    ],
    [
      'a private address',
      () => undefined,
      /not allowed|refused|private|10\.0\.0\.1/,
      { with: { base_url: 'http://10.0.0.1' } },
    ],
  ];
  for (const [what, reply, reason, more] of cases) {
    const { name, view } = await poll(reply, more);
    t.match(view.last_poll.error?.message, reason, what);
    t.notOk(view.cursor, `${what}: the cursor stays`);
    t.equal(await eventsOf(name), 0, `${what}: no event`);
    await ok(`DELETE ${path(name)}`);
  }
});

t.test('10,000 items become 10,000 events, and twice the same ID one', async (t) => {
  const items = Array.from({ length: 10_000 }, (_, n) => ({ id: n, at: n }));
  const { name, view } = await poll((_, response) => sendJson(response, { items: [...items, items[0]] }));
  t.equal(view.last_poll.events, 10_000);
  t.equal(view.cursor, 9999);
  t.equal(await eventsOf(name), 10_000);
  await ok(`DELETE ${path(name)}`);
});

t.test('hanging sources of one project do not stop the polls of another', async (t) => {
  far.reply = () => undefined;
  for (let n = 0; n < 20; n += 1) await ok(`PUT ${path(`hung${n}`)}`, config());
  await until(async () => far.seen.length >= 4 || undefined, { what: 'polls that hang' });
  far.reply = (_, response) => sendJson(response, { items: [{ id: 'x', at: 1 }] });
  const other = server.scoped.replace('/acme/', '/rival/');
  await server.call('rival', `PUT ${other}/triggers/mine`, config({ credential: undefined }));
  const view = await until(async () => {
    const { json } = await server.call('rival', `GET ${other}/triggers/mine`);
    return json.last_poll === undefined ? undefined : json;
  });
  t.match(view, { last_poll: { events: 1 }, failures: 0 });
  const { json } = await server.call('rival', `GET ${server.scoped}/triggers/hung0`);
  t.equal(json.status ?? 404, 404, 'triggers of other projects do not exist');
  for (let n = 0; n < 20; n += 1) await ok(`DELETE ${path(`hung${n}`)}`);
});

t.test('roles, values that are refused, and no secret anywhere', async (t) => {
  const elsewhere = { kind: 'bearer', token: CANARY, hosts: ['api.example.org'] };
  await ok(`PUT ${server.scoped}/credentials/elsewhere`, elsewhere);
  t.equal((await server.call('viewer', `PUT ${path('no')}`, config())).status, 403);
  t.equal((await server.call('viewer', `POST ${path('no')}/poll`)).status, 403);
  for (const body of [
    config({ credential: 'none' }),
    config({ credential: 'elsewhere' }),
    config({ every: '1s' }),
    config({ every: '99d' }),
    config({ every: 'soon' }),
    config({ input: { cursor: 'x' } }),
    config({ with: { base_url: 7 } }),
    config({ with: {} }),
    config({ connector: '__proto__' }),
    config({ trigger: 'constructor' }),
    config({ more: 1 }),
  ]) {
    const { status } = await server.call('admin', `PUT ${path('no')}`, body);
    t.ok(status >= 400 && status < 500, `${JSON.stringify(body)}: ${status}`);
  }
  const { name, view } = await poll((_, response) =>
    sendJson(response, { items: [{ id: CANARY, at: 1, note: CANARY }] }),
  );
  t.equal(view.last_poll.events, 1);
  const { events } = await ok(`GET ${server.scoped}/events?type=item.added&limit=1`);
  t.same((await ok(`GET ${server.scoped}/events/${events[0].event}`)).payload, { id: '***', at: 1, note: '***' });
  t.notMatch(JSON.stringify(server.log.lines), CANARY, 'not in the log');
  t.notMatch(JSON.stringify(await ok(`GET ${path(name)}`)), CANARY);
});
