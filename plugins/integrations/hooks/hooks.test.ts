import { createHash, createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { Webhook } from 'standardwebhooks';
import t from 'tap';
import { Database, Ids, type Queries, Sealer } from '../../../kernel/contracts/index.ts';
import { EventBus, type NewEvent } from '../../events/bus/contract.ts';
import { ConnectorManifests, SignatureCheck } from '../manifests/contract.ts';
import { HookMinting, type HookSpec } from './contract.ts';
import { Ingest } from './service/ingest.ts';
import { type HookRow, hooks, MAX_HOOKS } from './store/hooks.ts';
import { boot, STORES, tablesWith, type TestServer } from '../../../test/kit/index.ts';

const KEY = 'canary-key-5d1e8b';
const MIB = 1024 * 1024;
const JSON_TYPE = { 'content-type': 'application/json' };

interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers member by member
  json: any;
}

async function post(
  url: string,
  body: string | Uint8Array | undefined,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { ...(typeof body === 'string' ? { 'content-type': '' } : {}), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? Buffer.from(body) : body }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, json: JSON.parse(text) };
}

const hex = (algorithm: string, key: string, body: string | Uint8Array) =>
  createHmac(algorithm, key).update(body).digest('hex');

for (const store of STORES)
  t.test(store, async (t) => {
    const server = await boot({ store, access: 'project' });
    t.teardown(() => server.close());
    const at = (name: string) => `${server.scoped}/event-hooks${name === '' ? '' : `/${name}`}`;
    const put = (name: string, body: unknown) => server.call('admin', `PUT ${at(name)}`, body);
    const made = async (name: string, body: unknown = {}) => {
      const answer = await put(name, body);
      if (answer.status !== 201) throw new Error(answer.text);
      return answer.json as { ingest_url: string; secret: string };
    };
    const event = async (id: string) => (await server.call('member', `GET ${server.scoped}/events/${id}`)).json;
    const delivered = async (answer: Answer) => {
      if (answer.status !== 202) throw new Error(answer.text);
      return event(answer.json.event_id);
    };

    t.test('@HOOK-006 a hook keeps its address; its token is shown once and stored as a digest', async (t) => {
      const first = await put('ci', { event_type: 'ci.done' });
      t.match(first, { status: 201, json: { name: 'ci', mode: 'token', event_type: 'ci.done' } });
      t.match(first.json.ingest_url, /^http:\/\/127\.0\.0\.1:\d+\/api\/v1\/hooks\/hook_[0-9A-Z]{26}$/);
      t.match(first.json.secret, /^[A-Za-z0-9_-]{43}$/);
      const again = await put('ci', {});
      t.match(again, { status: 200, json: { event_type: 'hook.ci', ingest_url: first.json.ingest_url } });
      t.notOk('secret' in again.json);
      t.equal((await post(first.json.ingest_url, '', { 'x-svc-hook-secret': first.json.secret })).status, 202);
      const signed = await put('ci', { hmac: { header: 'X-Sig', key: KEY } });
      t.match(signed.json, {
        mode: 'hmac',
        hmac: { header: 'X-Sig', prefix: '', algorithm: 'sha256', encoding: 'hex' },
      });
      t.equal((await post(first.json.ingest_url, '', { 'x-svc-hook-secret': first.json.secret })).status, 401);
      const back = await put('ci', {});
      t.not(back.json.secret, first.json.secret, 'another token, for the first one is gone');
      const rotated = await server.call('admin', `POST ${at('ci')}/rotate`, {});
      t.match(rotated, { status: 200, json: { name: 'ci', ingest_url: first.json.ingest_url } });
      for (const [secret, status] of [
        [back.json.secret, 401],
        [rotated.json.secret, 202],
      ] as const)
        t.equal((await post(first.json.ingest_url, '', { 'x-svc-hook-secret': secret })).status, status);
      await made('signed', { manifest: 'forge_a', key: KEY });
      const views = [await server.call('member', `GET ${at('ci')}`), await server.call('member', `GET ${at('')}`)];
      t.match(views[0]!.json, { name: 'ci', secret_at: rotated.json.secret_at });
      t.same(
        views[1]!.json.event_hooks.map(({ name }: { name: string }) => name),
        ['signed', 'ci'],
      );
      t.notMatch(JSON.stringify(views), /"secret"|canary/);
      for (const text of [KEY, first.json.secret, back.json.secret, rotated.json.secret])
        t.same(await tablesWith(server.use(Database), text), [], 'no secret lies in the database');
      const digest = createHash('sha256').update(rotated.json.secret).digest('hex');
      t.same(await tablesWith(server.use(Database), digest), ['hooks_hooks']);
      const page = await server.call('member', `GET ${at('')}?limit=1`);
      const rest = await server.call('member', `GET ${at('')}?limit=1&cursor=${page.json.next_cursor}`);
      t.same([...page.json.event_hooks, ...rest.json.event_hooks], views[1]!.json.event_hooks);
      t.equal((await server.call('admin', `DELETE ${at('ci')}`)).status, 204);
      t.equal((await server.call('admin', `DELETE ${at('ci')}`)).status, 404);
      for (const line of [`GET ${at('ci')}`, `POST ${at('ci')}/rotate`])
        t.match(await server.call('admin', line), { status: 404, json: { code: 'not_found' } });
      t.equal((await post(first.json.ingest_url, '', { 'x-svc-hook-secret': rotated.json.secret })).status, 401);
      await server.call('admin', `DELETE ${at('signed')}`);
    });

    t.test('bad input has its place, and no answer repeats a key', async (t) => {
      const hmac = (more: object) => ({ hmac: { header: 'X-Sig', key: KEY, ...more } });
      const bad: [body: unknown, pointer: string][] = [
        [{ event_type: '' }, '/event_type'],
        [{ event_type: 'a b' }, '/event_type'],
        [{ event_type: 'x'.repeat(65) }, '/event_type'],
        [{ event_type: 'push' }, '/event_type'],
        [{ event_type: 'run.started' }, '/event_type'],
        [{ event_type: 7 }, '/event_type'],
        [{ secret: KEY }, '/secret'],
        [{ key: KEY }, '/key'],
        [{ manifest: 'forge_a' }, '/key'],
        [{ manifest: 'forge_a', key: '' }, '/key'],
        [{ manifest: 'absent', key: KEY }, '/manifest'],
        [{ manifest: 'constructor', key: KEY }, '/manifest'],
        [{ manifest: 'standard_webhooks', key: `whsec_${KEY}` }, '/key'],
        [{ manifest: 'forge_a', key: KEY, ...hmac({}) }, '/hmac'],
        [{ key: KEY, ...hmac({}) }, '/key'],
        [{ hmac: { header: 'X-Sig' } }, '/hmac/key'],
        [hmac({ key: '' }), '/hmac/key'],
        [hmac({ key: `${KEY}${'x'.repeat(4096)}` }), '/hmac/key'],
        [hmac({ header: 'X Sig' }), '/hmac/header'],
        [hmac({ prefix: 'a b' }), '/hmac/prefix'],
        [hmac({ algorithm: 'md5' }), '/hmac/algorithm'],
        [hmac({ encoding: 'base32' }), '/hmac/encoding'],
        [hmac({ extra: 1 }), '/hmac/extra'],
      ];
      for (const [body, pointer] of bad) {
        const answer = await put('bad', body);
        t.match(
          answer,
          { status: 400, json: { code: 'invalid_request', errors: [{ pointer }] } },
          JSON.stringify(body),
        );
        t.notMatch(answer.text, KEY);
      }
      for (const name of ['-x', 'a.b', 'graph.a.b', 'a%20b', '%C3%BC', 'x'.repeat(64)])
        t.match(await put(name, {}), { status: 400, json: { errors: [{ pointer: '/path/hook' }] } }, name);
      const long = 'n'.repeat(63);
      t.match(await put(long, {}), { status: 400, json: { errors: [{ pointer: '/event_type' }] } });
      t.match(await put('run', { manifest: 'forge_a', key: KEY }), { json: { errors: [{ pointer: '/event_type' }] } });
      t.same((await server.call('member', `GET ${at('')}`)).json, { event_hooks: [] }, 'nothing was made');
      await made('token');
      await made('signed', hmac({}));
      const rotate = (name: string, body: unknown) => server.call('admin', `POST ${at(name)}/rotate`, body);
      for (const [name, body] of [
        ['token', { key: KEY }],
        ['signed', {}],
        ['signed', { key: '' }],
      ] as const)
        t.match(await rotate(name, body), { status: 400, json: { errors: [{ pointer: '/key' }] } });
      t.equal((await rotate('signed', { key: 'next-key' })).status, 200);
      const { ingest_url } = (await server.call('member', `GET ${at('signed')}`)).json;
      t.equal((await post(ingest_url, 'x', { 'x-sig': hex('sha256', KEY, 'x') })).status, 401);
      t.equal((await post(ingest_url, 'x', { 'x-sig': hex('sha256', 'next-key', 'x') })).status, 202);
    });

    t.test('twenty at once make one hook with one token', async (t) => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => put('race', {})));
      t.same(answers.map(({ status }) => status).toSorted(), [...Array.from({ length: 19 }, () => 200), 201]);
      t.equal(new Set(answers.map(({ json }) => json.ingest_url)).size, 1);
      const secrets = answers.flatMap(({ json }) => json.secret ?? []);
      t.equal(secrets.length, 1);
      t.equal((await post(answers[0]!.json.ingest_url, '', { 'x-svc-hook-secret': secrets[0] })).status, 202);
    });

    t.test('the secret: where it is looked for, and what is said when it is not right', async (t) => {
      const { ingest_url: url, secret } = await made('secret');
      const header = { 'x-svc-hook-secret': secret };
      t.equal((await post(url, '{}', header)).status, 202);
      const byQuery = await delivered(await post(`${url}?a=1&secret=${secret}&b=`, '{}', JSON_TYPE));
      t.same(byQuery.payload, { body: {}, query: { a: '1', b: '' } }, 'the secret is no part of the event');
      const both = await delivered(await post(`${url}?secret=${KEY}`, '{}', header));
      t.same(both.payload.query, {}, 'the header wins, and what the query had is kept nowhere');
      t.same(await tablesWith(server.use(Database), KEY), []);
      t.same(await tablesWith(server.use(Database), secret), []);
      t.match(await post(`${url}?secret=${secret}`, '', { 'x-svc-hook-secret': 'wrong' }), { status: 401 });
      t.equal(
        (await post(`${url}?secret=${secret}`, '', { 'x-svc-hook-secret': '' })).status,
        202,
        'an empty one is none',
      );
      const missing = await post(url, '{}');
      t.match(missing, { status: 401, json: { code: 'hook_secret_missing', detail: /X-Svc-Hook-Secret/ } });
      const unknown = url.replace(/.{10}$/, 'ZZZZZZZZZZ');
      const strip = ({ status, json: { request_id, ...json }, headers }: Answer) => ({
        status,
        json,
        named: typeof request_id,
        names: [...headers.keys()],
        authenticate: headers.get('www-authenticate'),
      });
      for (const [suffix, more] of [
        ['', {}],
        ['?secret=', {}],
        ['', { 'x-svc-hook-secret': 'wrong' }],
        [`?secret=${'w'.repeat(4000)}`, {}],
        ['', { 'x-svc-hook-secret': secret.slice(1) }],
        ['', { 'x-svc-hook-secret': `${secret}x` }],
        ['', { 'x-svc-hook-secret': '0'.repeat(64) }],
      ] as [string, Record<string, string>][]) {
        const one = strip(await post(url + suffix, '{"a":1}', more));
        t.equal(one.status, 401);
        for (const other of [unknown, url.replace(/hook_.*/, 'x'), url.replace(/hook_.*/, '%C3%BC')])
          t.same(strip(await post(other + suffix, '{"a":1}', more)), one, 'an unknown address answers the same');
      }
      t.equal((await post(unknown, '', header)).json.code, 'hook_secret_wrong');
    });

    t.test('what a body becomes', async (t) => {
      const { ingest_url: url, secret } = await made('bodies');
      const send = (body: string | Uint8Array | undefined, type?: string, query = '') =>
        post(`${url}${query}`, body, {
          'x-svc-hook-secret': secret,
          ...(type === undefined ? {} : { 'content-type': type }),
        });
      const latin = Buffer.from('gr\xfcn', 'latin1');
      const cases: [body: string | Uint8Array | undefined, type: string | undefined, becomes: unknown][] = [
        [undefined, undefined, {}],
        ['', 'application/json', {}],
        ['', 'text/plain', {}],
        [
          '{"n":1,"f":1.5,"t":true,"z":null,"a":[1,"1"],"s":"1"}',
          'application/json',
          { n: 1, f: 1.5, t: true, z: null, a: [1, '1'], s: '1' },
        ],
        ['[1]', 'application/vnd.api+json; charset=utf-8', [1]],
        ['7', 'APPLICATION/JSON', 7],
        ['null', 'application/json', null],
        ['"text"', 'application/json', 'text'],
        ['{"a":1}', undefined, { a: 1 }],
        ['no JSON', undefined, 'no JSON'],
        ['a=1&b=%20&a=2', 'application/x-www-form-urlencoded', 'a=1&b=%20&a=2'],
        ['{"a":1}', 'text/plain', '{"a":1}'],
        [' plain\r\ntext ', 'text/plain; charset=utf-8', ' plain\r\ntext '],
        ['{"a":', 'application/json', '{"a":'],
        ['{"a":1}{"b":2}', 'application/json', '{"a":1}{"b":2}'],
        ['<a/>', 'application/xml', '<a/>'],
        ['\ufefftext', 'text/plain', '\ufefftext'],
        ['\ufeff{"a":1}', 'application/json', { a: 1 }],
        ['a\0b', 'text/plain', 'a\0b'],
        ['"a\\u0000b"', 'application/json', 'a\0b'],
        ['😀', 'text/plain', '😀'],
        [
          '{"__proto__":{"x":1},"constructor":2}',
          'application/json',
          JSON.parse('{"__proto__":{"x":1},"constructor":2}'),
        ],
        [latin, 'text/plain; charset=iso-8859-1', 'grün'],
        [latin, 'text/plain', { base64: latin.toString('base64') }],
        [latin, 'application/json', { base64: latin.toString('base64') }],
        [latin, 'text/plain; charset=nobody-knows', { base64: latin.toString('base64') }],
        [Buffer.from([0xff, 0, 1]), 'application/octet-stream', { base64: '/wAB' }],
        [Buffer.from([0xed, 0xa0, 0x80]), 'text/plain', { base64: '7aCA' }],
        [
          `${'['.repeat(100)}${']'.repeat(100)}`,
          'application/json',
          JSON.parse(`${'['.repeat(100)}${']'.repeat(100)}`),
        ],
      ];
      for (const [body, type, becomes] of cases) {
        const { payload, type: event_type, source, trusted, key, generation } = await delivered(await send(body, type));
        t.same(
          JSON.stringify(payload),
          JSON.stringify({ body: becomes, query: {} }),
          `${String(body).slice(0, 40)} as ${type}`,
        );
        t.same(
          { event_type, source, trusted, key, generation },
          { event_type: 'hook.bodies', source: 'hook', trusted: true, key: null, generation: 0 },
        );
      }
      const { payload } = await delivered(await send('', undefined, '?n=1&t=true&n=2&e=&u=%C3%BC+x&__proto__=y'));
      t.equal(JSON.stringify(payload.query), '{"n":"2","t":"true","e":"","u":"ü x","__proto__":"y"}', 'always texts');
      for (const [bad, code] of [
        [`${'['.repeat(101)}${']'.repeat(101)}`, 'invalid_request'],
        ['['.repeat(100_000), 'invalid_request'],
        ['{"a":"\\ud800"}', 'invalid_request'],
        [`{${'"":0,'.repeat(300_000)}"x":0}`, 'invalid_request'],
      ] as const)
        t.match(await send(bad, 'application/json'), { status: 400, json: { code } }, bad.slice(0, 20));
      for (const query of ['?a=%00', '?a=%', '?a=%ff']) t.equal((await send('', undefined, query)).status, 400, query);
    });

    t.test('two MiB are taken, whatever they turn into; a bomb is not', async (t) => {
      const { ingest_url: url, secret } = await made('large');
      const send = (body: Uint8Array, more: Record<string, string> = {}) =>
        post(url, body, { 'x-svc-hook-secret': secret, 'content-type': 'text/plain', ...more });
      const exact = Buffer.alloc(2 * MIB, 0x01);
      const escaped = await delivered(await send(exact));
      t.equal(escaped.payload.body, exact.toString(), 'each byte of which JSON writes as six');
      const binary = await delivered(await send(Buffer.alloc(2 * MIB, 0xff)));
      t.equal(binary.payload.body.base64.length, Math.ceil((2 * MIB) / 3) * 4);
      t.equal((await send(gzipSync(exact), { 'content-encoding': 'gzip' })).status, 202);
      const over = Buffer.alloc(2 * MIB + 1, 0x20);
      const bomb = gzipSync(Buffer.alloc(64 * MIB));
      for (const answer of [
        await send(over),
        await send(gzipSync(over), { 'content-encoding': 'gzip' }),
        await send(bomb, { 'content-encoding': 'gzip' }),
      ])
        t.match(answer, { status: 413, json: { code: 'payload_too_large' } });
      t.equal((await send(Buffer.from('no gzip'), { 'content-encoding': 'gzip' })).status, 400);
      t.equal((await send(Buffer.from('x'), { 'content-encoding': 'zstd, gzip' })).status, 415);
    });

    t.test('an HMAC of the raw bytes, in the forms there are', async (t) => {
      const settings = [
        {},
        { prefix: 'sha256=' },
        { algorithm: 'sha1', prefix: 'v0=' },
        { algorithm: 'sha512', encoding: 'base64' },
      ];
      for (const [index, more] of settings.entries()) {
        const { algorithm = 'sha256', prefix = '', encoding = 'hex' } = more as Record<string, string>;
        const { ingest_url } = await made(`hmac-${index}`, { hmac: { header: 'X-Sig', key: KEY, ...more } });
        const body = '{"a":  1}\n';
        const sign = (text: string, key = KEY) =>
          prefix +
          createHmac(algorithm, key)
            .update(text)
            .digest(encoding as 'hex');
        const right = await delivered(await post(ingest_url, body, { 'x-sig': sign(body), ...JSON_TYPE }));
        t.match(right, { type: `hook.hmac-${index}`, payload: { body: { a: 1 } }, trusted: true });
        const missing = await post(ingest_url, body, JSON_TYPE);
        t.match(missing, { status: 401, json: { code: 'signature_invalid', detail: /the X-Sig header is missing/ } });
        for (const [text, signature] of [
          [body.trim(), sign(body)],
          ['{"a":1}', sign(body)],
          [body, sign(body, `${KEY}x`)],
          [body, sign(body, '')],
          [body, sign('')],
        ] as const) {
          const wrong = await post(ingest_url, text, { 'x-sig': signature, ...JSON_TYPE });
          t.match(wrong, { status: 401, json: { code: 'signature_invalid' } });
          t.notOk(wrong.text.includes(KEY) || wrong.text.includes(sign(body)));
        }
        const zipped = await post(ingest_url, gzipSync(body), {
          'x-sig': sign(body),
          'content-encoding': 'gzip',
          ...JSON_TYPE,
        });
        t.equal(zipped.status, 202, 'what is signed is what was compressed');
      }
    });

    t.test('a manifest: types behind the name of the hook, one event an id, a window', async (t) => {
      const { ingest_url: url } = await made('forge', { manifest: 'forge_a', key: KEY });
      const send = (type: string | undefined, id: string, body = '{"action":"opened"}') =>
        post(url, body, {
          ...JSON_TYPE,
          'x-hub-signature-256': `sha256=${hex('sha256', KEY, body)}`,
          ...(type === undefined ? {} : { 'x-github-event': type }),
          'x-github-delivery': id,
        });
      const first = await send('issues', 'one');
      t.match(first, { status: 202, json: { event_type: 'forge.issues' } });
      t.match(await delivered(first), { trusted: false, source: 'hook', source_name: 'forge' }, 'strangers write it');
      t.same((await send('issues', 'one')).json, first.json, 'a repeat answers the first event');
      t.same((await send('other', 'one', '{"changed":1}')).json, first.json, 'whatever else it says');
      t.not((await send('issues', 'two')).json.event_id, first.json.event_id);
      const other = await made('forge2', { manifest: 'forge_a', key: KEY, event_type: 'all.alike' });
      const there = await post(other.ingest_url, 'x', {
        'x-hub-signature-256': `sha256=${hex('sha256', KEY, 'x')}`,
        'x-github-delivery': 'one',
      });
      t.match(there.json, { event_type: 'all.alike' });
      t.not(there.json.event_id, first.json.event_id, 'another hook has ids of its own');
      const long = 'd'.repeat(4000);
      t.same((await send('issues', long)).json, (await send('issues', long)).json);
      t.not((await send('issues', `${long}x`)).json.event_id, (await send('issues', long)).json.event_id);
      for (const [type, code] of [
        ['a b', 'event_type_invalid'],
        ['x'.repeat(60), 'event_type_invalid'],
        [undefined, 'invalid_request'],
      ] as const)
        t.match(await send(type, `bad-${String(type)}`), { status: 400, json: { code } }, String(type));
      t.match(await post(url, 'x', {}), { status: 401, json: { detail: /X-Hub-Signature-256 header is missing/ } });

      const key = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
      const standard = await made('billing', { manifest: 'standard_webhooks', key });
      const signed = (id: string, body: string, offset_ms = 0, signer = new Webhook(key)) => {
        const now = new Date(Date.now() + offset_ms);
        return post(standard.ingest_url, body, {
          'webhook-id': id,
          'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
          'webhook-signature': `v1,${'A'.repeat(43)}= ${signer.sign(id, now, body)}`,
          ...JSON_TYPE,
        });
      };
      const paid = await signed('msg_1', '{"type":"invoice.paid","data":{}}');
      t.match(paid, { status: 202, json: { event_type: 'billing.invoice.paid' } });
      t.equal((await event(paid.json.event_id)).trusted, true);
      t.same((await signed('msg_1', '{"type":"invoice.paid","data":{}}')).json, paid.json);
      for (const offset of [-360_000, 360_000])
        t.match(await signed('msg_2', '{"type":"a"}', offset), { status: 401, json: { detail: /webhook-timestamp/ } });
      const stranger = new Webhook(`whsec_${Buffer.alloc(24, 8).toString('base64')}`);
      t.equal((await signed('msg_3', '{"type":"a"}', 0, stranger)).status, 401);
      t.match(await signed('msg_4', '{"type":"../../x y"}'), { status: 400, json: { code: 'event_type_invalid' } });
      t.match(await signed('msg_5', 'no JSON'), { status: 400, json: { detail: /\/type/ } });
    });

    t.test('hooks of other plugins: minted, changed, seen and dropped with what made them', async (t) => {
      const minting = server.use(HookMinting);
      const database = server.use(Database);
      await server.use(Sealer).prepare(server.scope.org_id);
      const own = { ...server.scope, name: 'graph.deploy.start', owner: 'graph:deploy' };
      const token = (event_type: string): HookSpec => ({ mode: 'token', event_type });
      const mint = (spec: HookSpec, more: object = {}) =>
        database.transaction((tx) => minting.mint(tx, { ...own, spec, ...more }));
      const first = await mint(token('graph.deploy.start.received'));
      t.match(first, { hook_id: /^hook_/, secret: /./ });
      const sent = await post(first.ingest_url, '', { 'x-svc-hook-secret': first.secret! });
      t.equal(sent.json.event_type, 'graph.deploy.start.received');
      t.same(await mint(token('graph.deploy.start.x')), { hook_id: first.hook_id, ingest_url: first.ingest_url });
      const view = await server.call('member', `GET ${at(own.name)}`);
      t.match(view, { status: 200, json: { owner: 'graph:deploy', event_type: 'graph.deploy.start.x' } });
      t.equal((await server.call('admin', `POST ${at(own.name)}/rotate`, {})).status, 200);
      t.match(await server.call('admin', `DELETE ${at(own.name)}`), {
        status: 409,
        json: { code: 'hook_owned', detail: /graph:deploy/ },
      });
      t.equal((await put(own.name, {})).status, 400);
      await t.rejects(mint(token('graph.deploy.start.x'), { owner: 'graph:other' }), { code: 'name_conflict' });
      await t.rejects(mint(token('deploy.x')), { code: 'invalid_request' }, 'types begin with the name');
      await t.rejects(mint(token('graph.deploy.start.x'), { name: 'deploy' }), { code: 'invalid_request' });
      await t.rejects(mint(token(`graph.a.${'b'.repeat(55)}.x`), { name: `graph.a.${'b'.repeat(55)}` }), {
        code: 'invalid_request',
      });
      await t.rejects(mint({ mode: 'manifest', manifest: 'absent', key: KEY, event_type: null }), {
        code: 'invalid_request',
      });
      await mint({ mode: 'manifest', manifest: 'forge_a', key: KEY, event_type: null });
      const pushed = await post(first.ingest_url, 'x', {
        'x-hub-signature-256': `sha256=${hex('sha256', KEY, 'x')}`,
        'x-github-event': 'push',
      });
      t.equal(pushed.json.event_type, 'graph.deploy.start.push');
      const undone = database.transaction(async (tx) => {
        await minting.drop(tx, own);
        throw new Error('undone');
      });
      await t.rejects(undone, /undone/);
      const drop = (owner: string) => database.transaction((tx) => minting.drop(tx, { ...own, owner }));
      t.same([await drop('graph:other'), await drop(own.owner), await drop(own.owner)], [false, true, false]);
      t.equal((await server.call('member', `GET ${at(own.name)}`)).status, 404);
    });

    t.test('an unknown address costs what a wrong secret costs', async (t) => {
      const { ingest_url, secret } = await made('work');
      const id = ingest_url.split('/').at(-1)!;
      const { ingest, counts } = counted(server);
      const work = async (hook_id: string, given: string) => {
        counts.reads = 0;
        const headers = { 'x-svc-hook-secret': given };
        const delivery = { headers, query: {}, raw: Buffer.from('{}'), ip: '' };
        const code = await ingest.deliver(hook_id, delivery).then(
          () => 'taken',
          (error: { code: string }) => error.code,
        );
        return { code, ...counts };
      };
      const wrong = await work(id, 'wrong');
      t.same(wrong, { code: 'hook_secret_wrong', reads: 1, emits: 0 });
      for (const other of [id.replace(/.{8}$/, 'ZZZZZZZZ'), 'x', '', `hook_${'0'.repeat(26)}`])
        t.same(await work(other, secret), wrong, other);
      t.same(await work(id, secret), { code: 'taken', reads: 1, emits: 1 });
    });

    t.test('a key that is moved to another hook, or altered, opens nothing', async (t) => {
      const database = server.use(Database);
      const url = { from: '', to: '' };
      for (const name of ['from', 'to'] as const)
        url[name] = (await made(name, { hmac: { header: 'X-Sig', key: `${KEY}-${name}` } })).ingest_url;
      const keyOf = async (name: string) =>
        (await database.read<{ signing_key: Buffer }>('SELECT signing_key FROM hooks_hooks WHERE name = ?', [name]))[0]!
          .signing_key;
      const write = (key: Buffer) =>
        database.write('UPDATE hooks_hooks SET signing_key = ? WHERE name = ?', [key, 'to']);
      const send = (key: string) => post(url.to, 'x', { 'x-sig': hex('sha256', key, 'x') });
      const own = await keyOf('to');
      await write(await keyOf('from'));
      t.match(await send(`${KEY}-from`), { status: 500, json: { code: 'sealed_value_unreadable' } });
      const altered = Buffer.from(own);
      altered[altered.length - 1]! ^= 1;
      await write(altered);
      t.match(await send(`${KEY}-to`), { status: 500, json: { code: 'sealed_value_unreadable' } });
      await write(own);
      t.equal((await send(`${KEY}-to`)).status, 202);
    });

    t.test('a project has a bounded number of hooks', async (t) => {
      const database = server.use(Database);
      const ids = server.use(Ids);
      const { event_hooks } = (await server.call('member', `GET ${at('')}?limit=200`)).json;
      await database.transaction(async (tx) => {
        for (let count = event_hooks.length; count < MAX_HOOKS; count++)
          await hooks.insert(tx, { ...filler(server), name: `filler-${count}`, hook_id: ids.next('hook') });
      });
      t.match(await put('one-more', {}), { status: 409, json: { code: 'hooks_full' } });
      t.equal((await put('filler-999', {})).status, 200, 'those there are may be changed');
      await server.call('admin', `DELETE ${at('filler-999')}`);
      t.equal((await put('one-more', {})).status, 201);
    });
  });

t.test('wrong secrets and signatures count as failed authentications', async (t) => {
  const server = await boot({ access: 'project', env: { SVC_RATE_LIMIT: 'failed=2/h' } });
  t.teardown(() => server.close());
  const put = async (name: string, body: object) =>
    (await server.call('admin', `PUT ${server.scoped}/event-hooks/${name}`, body)).json;
  const [shared, signed] = [await put('shared', {}), await put('signed', { hmac: { header: 'X-Sig', key: KEY } })];
  const send = async (url: string, headers: Record<string, string>) =>
    (await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: '{}' }))
      .status;
  for (let n = 0; n < 5; n++) t.equal(await send(shared.ingest_url, {}), 401, 'a missing secret is no guess');
  t.equal(await send(shared.ingest_url, { 'x-svc-hook-secret': 'wrong' }), 401);
  t.equal(await send(signed.ingest_url, { 'x-sig': '0'.repeat(64) }), 401);
  t.equal(await send(shared.ingest_url, { 'x-svc-hook-secret': 'wrong' }), 429);
  t.equal(await send(signed.ingest_url, { 'x-sig': '0'.repeat(64) }), 429);
  t.equal(await send(shared.ingest_url, { 'x-svc-hook-secret': shared.secret }), 202);
});

/** The service with the server's real parts; calls of the database and the bus are counted. */
function counted(server: TestServer) {
  const counts = { reads: 0, emits: 0 };
  const database = server.use(Database);
  const read: Queries['read'] = (...given) => {
    counts.reads += 1;
    return database.read(...given);
  };
  const bus = {
    ...server.use(EventBus),
    emit: ({ type }: NewEvent) => {
      counts.emits += 1;
      return Promise.resolve({ event_id: 'evt_1', type, duplicate: false });
    },
  };
  const ingest = new Ingest({
    database: { ...database, read, sql: database.sql, now: () => database.now() } as Database,
    sealer: server.use(Sealer),
    manifests: server.use(ConnectorManifests),
    check: server.use(SignatureCheck),
    bus,
    rates: { count: () => undefined, countFailure: () => undefined, hasManyFailures: () => false },
    deliveries: { recordRejection: () => undefined },
  });
  return { ingest, counts };
}

const filler = ({ scope }: TestServer): HookRow => ({
  org_id: scope.org_id,
  project_id: scope.project_id,
  name: '',
  hook_id: '',
  mode: 'token',
  event_type: 'hook.filler',
  manifest: null,
  hmac: null,
  token_digest: '0'.repeat(64),
  signing_key: null,
  old_digest: null,
  old_key: null,
  old_until: null,
  old_used_at: null,
  owner: '',
  set_at: 0,
  secret_at: 0,
});
