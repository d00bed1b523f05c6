import { createHmac } from 'node:crypto';
import t from 'tap';
import { Database } from '../../../kernel/contracts/index.ts';
import { boot, STORES, tablesWith, until } from '../../../test/kit/index.ts';

t.setTimeout(600_000);

const KEY = 'canary-key-77f1';
const NEXT = 'canary-key-90aa';
const sign = (key: string, body: string) => ({ 'x-sig': createHmac('sha256', key).update(body).digest('hex') });

async function post(url: string, body: string, headers: Record<string, string>) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  const json = (await answer.json()) as { event_id: string; code?: string };
  return { status: answer.status, until: answer.headers.get('x-svc-old-secret-until'), ...json };
}

for (const store of STORES)
  t.test(store, async (t) => {
    const server = await boot({ store, access: 'project' });
    t.teardown(() => server.close());
    const at = (name: string) => `${server.scoped}/event-hooks/${name}`;
    const call = async (line: string, body?: unknown, role = 'admin') => server.call(role, line, body);
    const rotate = (name: string, body: object) => call(`POST ${at(name)}/rotate`, body);
    const listed = async (name: string) =>
      (await call(`GET ${at(name)}/deliveries`, undefined, 'viewer')).json.deliveries;
    const redeliver = (name: string, delivery: string, role = 'member', headers?: Record<string, string>) =>
      server.call(role, `POST ${at(name)}/deliveries/${delivery}/redeliver`, undefined, headers);

    t.test('the old token counts beside the new one, until its time or its end', async (t) => {
      const { ingest_url: url, secret: first } = (await call(`PUT ${at('token')}`, {})).json;
      const by = (secret: string) => post(url, '{"n":1}', { 'x-svc-hook-secret': secret });
      const rotated = (await rotate('token', { overlap: '1d' })).json;
      t.match(rotated, { secret: /^[\w-]{43}$/, old_secret_until: /Z$/ });
      t.notOk('last_old_secret_use' in rotated, 'nobody used it yet');
      t.match(await by(rotated.secret), { status: 202, until: null });
      t.match(await by(first), { status: 202, until: rotated.old_secret_until });
      t.match((await call(`GET ${at('token')}`)).json, { last_old_secret_use: /Z$/ });
      t.match(await listed('token'), [{ outcome: 'recorded', old_secret: true }, { outcome: 'recorded' }]);
      t.match((await call(`PUT ${at('token')}`, { event_type: 'x.y' })).json, { old_secret_until: /Z$/ }, 'set again');
      t.match(await by(first), { status: 202 });
      const third = (await rotate('token', { overlap: '30d' })).json;
      t.equal((await by(first)).status, 401, 'only one is old');
      t.equal((await by(rotated.secret)).status, 202);
      const ended = await rotate('token', { end_overlap: true });
      t.notOk('secret' in ended.json || 'old_secret_until' in ended.json);
      t.equal((await by(rotated.secret)).status, 401);
      t.equal((await by(third.secret)).status, 202);
      const short = (await rotate('token', { overlap: '1s' })).json;
      await until(async () => (await by(third.secret)).status === 401, { within_ms: 20_000 });
      t.equal((await by(short.secret)).status, 202);
      t.notOk('old_secret_until' in (await call(`GET ${at('token')}`)).json, 'what is over is not shown');
      await rotate('token', {});
      t.equal((await by(short.secret)).status, 401, 'without an overlap it ends at once');
      for (const overlap of ['31d', '0s', 'soon', ''])
        t.match((await rotate('token', { overlap })).json, { errors: [{ pointer: '/overlap' }] }, overlap);
      t.match((await rotate('token', { overlap: '1h', end_overlap: true })).json, {
        errors: [{ pointer: '/overlap' }],
      });
      t.equal((await call(`POST ${at('token')}/rotate`, { overlap: '1h' }, 'member')).status, 403);
      for (const secret of [first, third.secret]) t.same(await tablesWith(server.use(Database), secret), []);
    });

    t.test('so does an old key of signed deliveries', async (t) => {
      const hmac = { header: 'X-Sig' };
      const { ingest_url: url } = (await call(`PUT ${at('signed')}`, { hmac: { ...hmac, key: KEY } })).json;
      const by = (key: string) => post(url, '{"n":1}', sign(key, '{"n":1}'));
      const { old_secret_until } = (await rotate('signed', { key: NEXT, overlap: '1h' })).json;
      t.match(await by(KEY), { status: 202, until: old_secret_until });
      t.match(await by(NEXT), { status: 202, until: null });
      await call(`PUT ${at('signed')}`, { hmac: { ...hmac, key: NEXT } });
      t.equal((await by(KEY)).status, 202, 'set again with the same key');
      await call(`PUT ${at('signed')}`, { hmac: { ...hmac, key: 'another-key' } });
      t.equal((await by(KEY)).status, 401, 'set with another key');
      for (const key of [KEY, NEXT]) t.same(await tablesWith(server.use(Database), key), []);
    });

    t.test('deliveries are listed, refused ones too, and recorded again', async (t) => {
      const { ingest_url: url, secret } = (await call(`PUT ${at('listed')}`, { event_type: 'scan.done' })).json;
      const first = await post(`${url}?branch=main`, '{"n":10.00}', { 'x-svc-hook-secret': secret });
      t.equal((await post(url, '{"canary":"body-31"}', { 'x-svc-hook-secret': 'wrong-secret-44' })).status, 401);
      const both = await until(
        async () => {
          const found = await listed('listed');
          return found.length === 2 ? found : undefined;
        },
        { within_ms: 20_000 },
      );
      t.match(both, [
        { outcome: 'refused', code: 'hook_secret_wrong', reason: 'no hook at this address has this secret' },
        { delivery: /^dlv_/, outcome: 'recorded', event: first.event_id, event_type: 'scan.done' },
      ]);
      for (const text of ['body-31', 'wrong-secret-44']) t.same(await tablesWith(server.use(Database), text), []);
      const [refused, recorded] = both;
      const again = await redeliver('listed', recorded.delivery);
      t.match(again, { status: 201, json: { event_type: 'scan.done', redelivery_of: recorded.delivery } });
      const event = await server.call('viewer', `GET ${server.scoped}/events/${again.json.event}`);
      t.match(event.json, {
        source: 'hook',
        source_name: 'listed',
        trusted: true,
        payload: { body: { n: 10 }, query: { branch: 'main' } },
        fields: { redelivery_of: first.event_id },
      });
      t.match(event.text, /"n":\s*10\.00/);
      t.match((await listed('listed'))[0], { delivery: again.json.delivery, redelivered_by: /./ });
      const key = { 'idempotency-key': 'k' };
      const one = await redeliver('listed', recorded.delivery, 'member', key);
      const two = await redeliver('listed', recorded.delivery, 'member', key);
      t.same([one.status, two.status], [201, 200]);
      t.same(two.json, { ...one.json, duplicate: true });
      t.match(await redeliver('listed', refused.delivery), { status: 409, json: { code: 'delivery_gone' } });
      t.equal((await redeliver('token', recorded.delivery)).status, 404, 'of another hook');
      t.equal((await redeliver('absent', recorded.delivery)).status, 404);
      t.equal((await redeliver('listed', recorded.delivery, 'viewer')).status, 403);
      t.equal((await call(`GET ${at('absent')}/deliveries`)).status, 404);
      const page = await call(`GET ${at('listed')}/deliveries?limit=1`);
      const rest = await call(`GET ${at('listed')}/deliveries?limit=9&cursor=${page.json.next_cursor}`);
      t.same([...page.json.deliveries, ...rest.json.deliveries], await listed('listed'));
      const { entries } = (await call(`GET ${server.scoped}/audit?action=hook.redeliver`)).json;
      t.match(entries.at(-1), { subject: 'listed', detail: `${recorded.delivery} as ${again.json.event}` });
    });

    t.test('of a flood of refused deliveries a few are listed', async (t) => {
      const { ingest_url: url, secret } = (await call(`PUT ${at('flood')}`, {})).json;
      for (let n = 0; n < 60; n++) await post(url, '', { 'x-svc-hook-secret': `${n}` });
      await post(url, '', { 'x-svc-hook-secret': secret });
      const found = await until(
        async () => {
          const all = await listed('flood');
          return all.length > 20 ? all : undefined;
        },
        { within_ms: 20_000 },
      );
      t.ok(found.length <= 41, 'twenty in a minute, or in two');
      t.equal(found.filter(({ outcome }: { outcome: string }) => outcome === 'recorded').length, 1);
    });
  });
