import { createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import t from 'tap';
import type { HookSection } from './contract.ts';
import { validateManifest } from './domain/check-manifest.ts';
import { signatureCheck } from './domain/signature.ts';
import { formatProblems, HOME } from './service/sources.ts';
import { readManifests } from './service/read-manifests.ts';
import { boot } from '../../../test/kit/index.ts';

const installed = await readManifests([HOME]);
const manifests = installed.connectors.map((one) => one.manifest);
const section = (name: string): HookSection => manifests.find((one) => one.name === name)!.hook!;

const NOW = Date.parse('2026-11-21T12:00:00Z');
const BODY = Buffer.from('{"type":"invoice.paid","n":1}');

/** A small manifest, with members of it replaced. */
const manifest = (more: object = {}) => ({ manifest: 'svc-connector/v1', name: 'one', title: 'One', ...more });
const hook = (signature: object, more: object = {}) =>
  manifest({ hook: { signature: { header: 'X-Sig', algorithm: 'sha256', encoding: 'hex', ...signature }, ...more } });

t.test('every manifest of the package is sound, and so is a full one', async (t) => {
  t.ok(manifests.length >= 3);
  t.same(installed.problems, []);
  const full = manifest({
    description: 'All there is.',
    credential: { kind: 'api_key', required: false, header: 'x-api-key' },
    fields: [
      { name: 'channel', type: 'string', required: true, title: 'Channel' },
      { name: 'context', type: 'string', default: 'svc', one_of: ['svc', 'other'] },
    ],
    actions: {
      post_message: {
        title: 'Post',
        more_inputs: true,
        inputs: [{ name: 'text', type: 'string', required: true, markdown: true }],
        request: {
          method: 'POST',
          url: 'https://chat.example.org/{{ with.channel }}',
          query: { q: '{{ input.text }}' },
          headers: { 'X-One': '{{ node.idempotency_key }}' },
          encoding: 'json',
          body: { deep: [{ $map: { on: '{{ input.type }}', cases: { a: 'b', c: null }, default: [1, true] } }] },
        },
      },
    },
    hook: { signature: { header: 'X-Sig', algorithm: 'sha512', encoding: 'base64', key: { encoding: 'hex' } } },
    examples: [{ action: 'post_message', with: {}, input: {}, request: { method: 'POST' }, response: { status: 200 } }],
  });
  t.same(validateManifest(full), []);
});

t.test('a faulty manifest is told its places', async (t) => {
  const field = { name: 'a', type: 'string' };
  const action = (more: object) => manifest({ actions: { go: { request: { method: 'GET', url: 'x' }, ...more } } });
  const signed = { signs: '{timestamp}.{body}', timestamp_header: 'X-Time' };
  const bad: [document: unknown, pointer: string][] = [
    [[], ''],
    ['text', ''],
    [{}, '/manifest'],
    [manifest({ manifest: 'svc-connector/v2' }), '/manifest'],
    [manifest({ name: 'One' }), '/name'],
    [manifest({ title: '' }), '/title'],
    [manifest({ code: 'x' }), '/code'],
    [manifest({ credential: { kind: 'api-key' } }), '/credential/kind'],
    [manifest({ credential: { kind: 'bearer', header: 'X' } }), '/credential/header'],
    [manifest({ fields: [field, { ...field, type: 'text' }] }), '/fields/1/type'],
    [manifest({ fields: [field, field] }), '/fields/1/name'],
    [manifest({ fields: [{ ...field, markdown: true }] }), '/fields/0/markdown'],
    [action({ inputs: [{ name: 'a', type: 'object', markdown: true }] }), '/actions/go/inputs/0/markdown'],
    [action({ inputs: [{ name: 'a', type: 'integer', one_of: ['1'] }] }), '/actions/go/inputs/0/one_of'],
    [action({ inputs: [{ ...field, required: true, default: 'x' }] }), '/actions/go/inputs/0/default'],
    [action({ request: { method: 'GET' } }), '/actions/go/request/url'],
    [action({ request: { method: 'TRACE', url: 'x' } }), '/actions/go/request/method'],
    [action({ request: { method: 'GET', url: 'x', headers: { 'X Y': 'z' } } }), '/actions/go/request/headers/X Y'],
    [
      action({ request: { method: 'GET', url: 'x', body: { $map: { on: 'x' } } } }),
      '/actions/go/request/body/$map/cases',
    ],
    [
      action({ request: { method: 'GET', url: 'x', body: [{ $map: { on: 'x', cases: {} }, more: 1 }] } }),
      '/actions/go/request/body/0/more',
    ],
    [manifest({ actions: { 'Go!': { request: { method: 'GET', url: 'x' } } } }), '/actions/Go!'],
    [hook({ header: 'X Sig' }), '/hook/signature/header'],
    [hook({ algorithm: 'md5' }), '/hook/signature/algorithm'],
    [hook({ encoding: 'base32' }), '/hook/signature/encoding'],
    [hook({ prefix: 'v0 =' }), '/hook/signature/prefix'],
    [hook({ signs: 'constant' }), '/hook/signature/signs'],
    [hook({ signs: '{body}{secret}' }), '/hook/signature/signs'],
    [hook({ signs: '{timestamp}{body}' }), '/hook/signature/timestamp_header'],
    [hook({ timestamp_header: 'X-Time' }), '/hook/signature/timestamp_header'],
    [hook({ signs: '{id}{body}' }), '/hook/signature/signs'],
    [hook({ signs: '{id}{body}' }, { delivery_id: { pointer: '/id' } }), '/hook/signature/signs'],
    [hook({ tolerance: '5m' }), '/hook/signature/tolerance'],
    [hook({ ...signed, tolerance: '5 minutes' }), '/hook/signature/tolerance'],
    [hook({ ...signed, tolerance: '1s1m' }), '/hook/signature/tolerance'],
    [hook({ ...signed, tolerance: '0s' }), '/hook/signature/tolerance'],
    [hook({}, { event_type: { pointer: 'type' } }), '/hook/event_type/pointer'],
    [hook({}, { event_type: { header: 'X-E', map: { a: 'b c' } } }), '/hook/event_type/map/a'],
    [hook({}, { event_type: { header: 'X-E', other: '/' } }), '/hook/event_type/other'],
    [hook({}, { event_type: { header: 'X-E', or: ['/x'] } }), '/hook/event_type'],
    [manifest({ hook: {} }), '/hook'],
    [hook({}, { token: { header: 'X-T' } }), '/hook'],
    [manifest({ hook: { token: { header: 'X T' } } }), '/hook/token/header'],
    [hook({ parts: {} }), '/hook/signature/parts/signature'],
    [hook({ parts: { signature: 'v1', timestamp: 't' } }), '/hook/signature/parts/timestamp'],
    [hook({ ...signed, parts: { signature: 'v1', timestamp: 't' } }), '/hook/signature/timestamp_header'],
    [hook({ timestamp_unit: 'ms' }), '/hook/signature/timestamp_unit'],
    [hook({}, { challenge: { pointer: '/a', equals: 'b' } }), '/hook/challenge/answer'],
    [manifest({ examples: [{ action: 'go', request: {} }] }), '/examples/0/action'],
    [{ ...action({}), examples: [{ action: 'go' }] }, '/examples/0/request'],
    [manifest({ examples: [{}] }), '/examples/0'],
    [
      manifest({ examples: [{ delivery: { key: 'k', headers: {}, body: '', accepted: false } }] }),
      '/examples/0/delivery',
    ],
    [
      { ...hook({}), examples: [{ delivery: { key: 'k', headers: {}, body: '', accepted: true } }] },
      '/examples/0/delivery/accepted',
    ],
  ];
  for (const [document, pointer] of bad)
    t.ok(
      validateManifest(document).some((fault) => fault.pointer === pointer),
      `${pointer}: ${JSON.stringify(validateManifest(document))}`,
    );
});

t.test('files and folders of SVC_CONNECTORS are read, and a broken one stops the start by name', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-connectors-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const put = async (path: string, content: unknown) => {
    await mkdir(join(folder, path, '..'), { recursive: true });
    await writeFile(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
  };
  await put('single.json', manifest({ name: 'single' }));
  await put('alone/manifest.json', manifest({ name: 'alone' }));
  await put('many/b/manifest.json', manifest({ name: 'many-b' }));
  await put('many/a/manifest.json', manifest({ name: 'many-a' }));
  await put('many/empty/notes.md', '# nothing');
  const own = await readManifests(['single.json', 'alone', 'many'].map((name) => join(folder, name)));
  t.same(own.problems, []);
  t.same(
    own.connectors.map((one) => one.manifest.name),
    ['single', 'alone', 'many-a', 'many-b'],
  );

  await put('broken/x/manifest.json', '{"manifest": "svc-connector/v1",');
  await put('broken/y/manifest.json', manifest({ name: 'y', hook: {} }));
  await put('broken/z/manifest.json', manifest({ name: 'forge_a' }));
  await put('large.json', `"${'x'.repeat(1024 * 1024)}"`);
  const entries = ['broken', 'large.json', 'absent', 'many/empty'].map((name) => join(folder, name));
  const failed = formatProblems((await readManifests([HOME, ...entries])).problems);
  for (const text of [
    'broken/x/manifest.json: (whole document): is not valid JSON',
    'line 1, column',
    'broken/y/manifest.json: /hook: must have either `signature` or `token` [hook_proof]; describe how',
    'broken/z/manifest.json: /name: forge_a is also the name of',
    'large.json: (whole document): has more than',
    'absent: (whole document): the file or folder does not exist',
    'many/empty: (whole document): neither this folder nor a folder in it contains manifest.json',
  ])
    t.ok(failed.includes(text), `${text}: ${failed}`);

  const env = { SVC_CONNECTORS: `${join(folder, 'single.json')}:${join(folder, 'broken')}` };
  const booted = boot({ env });
  await t.rejects(booted, { code: 'connector_invalid', message: /broken\/y\/manifest\.json: \/hook: / });
});

t.test('what the official signer of Standard Webhooks signs is taken, and nothing else', async (t) => {
  const standard = section('standard_webhooks');
  for (let round = 0; round < 300; round++) {
    const bytes = randomBytes(24 + (round % 41));
    const key = `whsec_${bytes.toString('base64')}`;
    const body = round % 3 === 0 ? `{"type":"invoice.paid","text":"${'ü'.repeat(round)}"}` : `plain ${round}`;
    const id = `msg_${round}`;
    const at = NOW + (round - 150) * 1000;
    const signature = new Webhook(round % 2 ? key : key.slice(6)).sign(id, new Date(at), body);
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at / 1000)),
      'webhook-signature': round % 5 ? signature : `v1a,${signature.slice(3)} v1,${'A'.repeat(43)}= ${signature}`,
    };
    const raw = Buffer.from(body);
    const verify = (more: object, other = raw, otherKey = key) =>
      signatureCheck.verify(standard, otherKey, { headers: { ...headers, ...more }, raw: other }, NOW);
    const event_type = round % 3 === 0 ? 'invoice.paid' : undefined;
    t.same(verify({}), { ok: true, delivery_id: id, event_type });
    const flipped = Buffer.from(raw);
    flipped[round % raw.length]! ^= 1;
    for (const verdict of [
      verify({ 'webhook-id': `${id}x` }),
      verify({ 'webhook-timestamp': String(Math.floor(at / 1000) + 1) }),
      verify({}, flipped),
      verify({}, raw, `whsec_${randomBytes(24).toString('base64')}`),
      verify({}, raw, ''),
    ])
      t.match(verdict, { ok: false, reason: 'wrong' });
  }
});

t.test('the window: five minutes either way, by the time that was signed', async (t) => {
  const standard = section('standard_webhooks');
  const key = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
  const verdict = (offset_ms: number) => {
    const at = NOW + offset_ms;
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(at / 1000),
      'webhook-signature': new Webhook(key).sign('msg_1', new Date(at), 'x'),
    };
    return signatureCheck.verify(standard, key, { headers, raw: Buffer.from('x') }, NOW);
  };
  for (const offset of [-300_000, -1000, 0, 1000, 300_000]) t.equal(verdict(offset).ok, true, `${offset}`);
  for (const offset of [-301_000, 301_000, -86_400_000, 9e11])
    t.match(verdict(offset), { ok: false, reason: 'stale', detail: /webhook-timestamp/ }, `${offset}`);
  for (const time of ['', 'now', '1e9', '-1', '1614265330.5', ' 1614265330', '0x1', '9'.repeat(20)]) {
    const raw = Buffer.from('x');
    const signature = createHmac('sha256', Buffer.alloc(24, 7)).update(`msg_1.${time}.`).update(raw).digest('base64');
    const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': time, 'webhook-signature': `v1,${signature}` };
    const found = signatureCheck.verify(standard, key, { headers, raw }, NOW);
    t.match(found, { ok: false, reason: time === '' ? 'missing' : 'wrong' }, `time ${JSON.stringify(time)}`);
  }
});

t.test('malformed signatures are refused, each for its reason and without showing anything', async (t) => {
  const forge = section('forge_a');
  const right = createHmac('sha256', 'key-of-the-test').update(BODY).digest('hex');
  const verdict = (signature: string | undefined, key = 'key-of-the-test') =>
    signatureCheck.verify(forge, key, { headers: { 'x-hub-signature-256': signature }, raw: BODY }, NOW);
  t.same(verdict(`sha256=${right}`), { ok: true, delivery_id: undefined, event_type: undefined });
  t.equal(verdict(`sha256=${right.toUpperCase()}`).ok, true, 'hex has no case');
  t.equal(verdict(`sha256=${'0'.repeat(64)} sha256=${right}`).ok, true, 'any of several');
  for (const absent of [undefined, ''])
    t.match(verdict(absent), { reason: 'missing', detail: 'the X-Hub-Signature-256 header is missing' });
  for (const bad of [
    right,
    `sha1=${right}`,
    `SHA256=${right}`,
    `sha256=${right.slice(2)}`,
    `sha256=${right}00`,
    `sha256=${right},sha256=${right}`,
    `sha256=${right}zz`,
    `sha256=0x${right}`,
    `sha256=${Buffer.from(right, 'hex').toString('base64')}`,
    'sha256=',
    ' ',
    'sha256',
    `sha256=${'é'.repeat(64)}`,
    `sha256= ${right}`,
    `sha256=${right.slice(0, -1)}${right.endsWith('0') ? '1' : '0'}`,
    'x'.repeat(16_000),
  ]) {
    const found = verdict(bad);
    t.match(found, { ok: false, reason: 'wrong' }, bad.slice(0, 80));
    t.notOk(JSON.stringify(found).includes(right.slice(0, 16)));
    t.notOk(JSON.stringify(found).includes('key-of-the-test'));
  }
  const empty = createHmac('sha256', '').update(BODY).digest('hex');
  t.match(verdict(`sha256=${empty}`, ''), { ok: false, reason: 'wrong' }, 'an empty key refuses what it would sign');
});

t.test('ten thousand forged signatures, none accepted', async (t) => {
  const forge = section('forge_a');
  const key = randomBytes(32).toString('hex');
  let accepted = 0;
  for (let count = 0; count < 10_000; count++) {
    const signature = `sha256=${randomBytes(32).toString('hex')}`;
    accepted += signatureCheck.verify(forge, key, { headers: { 'x-hub-signature-256': signature }, raw: BODY }, NOW).ok
      ? 1
      : 0;
  }
  t.equal(accepted, 0);
});

t.test('keys are read as their section writes them', async (t) => {
  const standard = section('standard_webhooks');
  const plain = section('forge_a');
  const bytes = Buffer.alloc(24, 5).toString('base64');
  for (const key of [bytes, `whsec_${bytes}`, 'YWFhYWFhYWE', 'YWFhYWFhYWE='])
    t.equal(signatureCheck.validateKey(standard, key), undefined, key);
  for (const key of ['', 'whsec_', 'whsec_*', `whsec_whsec_${bytes}`, 'not base64', 'Y', 'YWFhYWFhYQ=='])
    t.match(signatureCheck.validateKey(standard, key), /^must/, key);
  t.equal(signatureCheck.validateKey(plain, 'any text: ü'), undefined);
  t.match(signatureCheck.validateKey(plain, '\ud800'), /Unicode/);
  const hex: HookSection = { signature: { header: 'X', algorithm: 'sha1', encoding: 'hex', key: { encoding: 'hex' } } };
  t.equal(signatureCheck.validateKey(hex, '00000000000000ff'), undefined);
  t.match(signatureCheck.validateKey(hex, '00f'), /must be hex/);
  t.match(signatureCheck.validateKey(hex, '00000000000000'), /at least 8 bytes/);
  for (const none of ['00'.repeat(8), '20'.repeat(64), '09000a0d200b0c20'])
    t.match(signatureCheck.validateKey(hex, none), /spaces or zeros/, none);
  t.match(signatureCheck.validateKey(plain, '\0'.repeat(8)), /spaces or zeros/);
  const signature = createHmac('sha1', Buffer.from('00ff', 'hex')).update(BODY).digest('hex');
  t.equal(signatureCheck.verify(hex, '00ff', { headers: { x: signature }, raw: BODY }, NOW).ok, true);
});

t.test('types and ids are found in headers and bodies', async (t) => {
  const at = (event_type: { pointer: string }, body: unknown) => {
    const raw = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    const one: HookSection = { signature: { header: 'X', algorithm: 'sha512', encoding: 'base64' }, event_type };
    const signature = createHmac('sha512', 'k').update(raw).digest('base64');
    return signatureCheck.verify(one, 'k', { headers: { x: signature }, raw }, NOW);
  };
  const found: [pointer: string, body: unknown, type: string | undefined][] = [
    ['/type', { type: 'a.b' }, 'a.b'],
    ['/a/0/b~1c~0d', { a: [{ 'b/c~d': 'x' }] }, 'x'],
    ['/type', { type: 7 }, '7'],
    ['/type', { type: 1.5 }, undefined],
    ['/type', { type: null }, undefined],
    ['/type', { type: '' }, undefined],
    ['/type', { type: { a: 1 } }, undefined],
    ['/constructor/name', {}, undefined],
    ['/__proto__', {}, undefined],
    ['/type', 'not JSON', undefined],
    ['/type', '', undefined],
    ['/type', '"text"', undefined],
  ];
  for (const [pointer, body, event_type] of found) t.match(at({ pointer }, body), { ok: true, event_type }, pointer);
  t.throws(() => at({ pointer: '/type' }, '['.repeat(101)), { code: 'invalid_request' });
});

const verify = (of: HookSection, key: string, headers: Record<string, string>, raw = BODY, now = NOW) =>
  signatureCheck.verify(of, key, { headers, raw }, now);
const sectionWith = (signature: object, more: object = {}): HookSection => ({
  signature: { header: 'X-Sig', algorithm: 'sha256', encoding: 'hex', ...signature },
  ...more,
});

t.test('one header with named parts: several signatures, the time among them', async (t) => {
  const of = sectionWith({ parts: { signature: 'v1', timestamp: 't', separator: ';' }, signs: '{timestamp}:{body}' });
  const at = String(NOW / 1000);
  const mac = (key: string, time = at) => createHmac('sha256', key).update(`${time}:`).update(BODY).digest('hex');
  const good = { ok: true, delivery_id: undefined, event_type: undefined };
  t.same(verify(of, 'k', { 'x-sig': `t=${at};v1=${mac('k')}` }), good);
  t.same(verify(of, 'k', { 'x-sig': ` v1=${mac('k')} ; t=${at} ` }), good, 'order and blanks do not matter');
  t.same(verify(of, 'k', { 'x-sig': `t=${at};v1=${mac('old')};v1=zz;v1=${mac('k')};v0=${mac('k')}` }), good);
  const bad: [header: string, reason: string][] = [
    [`t=${at};v1=${mac('old')}`, 'wrong'],
    [`t=${at};v0=${mac('k')}`, 'wrong'],
    [`t=${at},v1=${mac('k')}`, 'wrong'],
    [`v1=${mac('k')}`, 'missing'],
    [`t=;v1=${mac('k', '')}`, 'wrong'],
    [`t=${at}x;v1=${mac('k', `${at}x`)}`, 'wrong'],
    [`t=${NOW / 1000 - 301};v1=${mac('k', String(NOW / 1000 - 301))}`, 'stale'],
    [mac('k'), 'missing'],
    ['t', 'missing'],
  ];
  for (const [header, reason] of bad) t.match(verify(of, 'k', { 'x-sig': header }), { ok: false, reason }, header);
  const many = Array.from({ length: 17 }, (_, n) => `v1=${mac(`k${n}`)}`).join(';');
  t.match(verify(of, 'k16', { 'x-sig': `t=${at};${many}` }), { ok: false }, 'of a flood only the first are looked at');
});

t.test('times in milliseconds', async (t) => {
  const of = sectionWith({
    timestamp_header: 'X-T',
    timestamp_unit: 'ms',
    signs: '{timestamp}{body}',
    tolerance: '1s',
  });
  const at = (ms: number) => ({
    'x-t': String(ms),
    'x-sig': createHmac('sha256', 'k').update(String(ms)).update(BODY).digest('hex'),
  });
  t.match(verify(of, 'k', at(NOW - 1000)), { ok: true });
  t.match(verify(of, 'k', at(NOW - 1001)), { ok: false, reason: 'stale' });
  t.match(verify(of, 'k', at(NOW / 1000)), { ok: false, reason: 'stale' });
});

t.test('public keys', async (t) => {
  const pairs = {
    'ecdsa-sha256': generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    ed25519: generateKeyPairSync('ed25519'),
  } as const;
  for (const [algorithm, { publicKey, privateKey }] of Object.entries(pairs)) {
    const of = sectionWith({ algorithm, encoding: 'base64', signs: 'v0:{body}', key: { encoding: 'base64' } });
    const signature = sign(
      algorithm === 'ed25519' ? null : 'sha256',
      Buffer.concat([Buffer.from('v0:'), BODY]),
      privateKey,
    );
    const key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
    const headers = { 'x-sig': signature.toString('base64') };
    t.equal(signatureCheck.validateKey(of, key), undefined);
    t.match(verify(of, key, headers), { ok: true }, algorithm);
    t.match(verify(of, key, headers, Buffer.from('other')), { ok: false, reason: 'wrong' });
    t.match(verify(of, key, { 'x-sig': 'AAAA' }), { ok: false, reason: 'wrong' });
    for (const other of Object.values(pairs).filter((pair) => pair.publicKey !== publicKey)) {
      const wrong = other.publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
      t.match(signatureCheck.validateKey(of, wrong), /public key/);
      t.match(verify(of, wrong, headers), { ok: false, reason: 'wrong' });
    }
    t.match(signatureCheck.validateKey(of, Buffer.from('a shared key').toString('base64')), /public key/);
  }
  const bare = sectionWith({ algorithm: 'ed25519', key: { encoding: 'hex' } });
  const { publicKey, privateKey } = pairs.ed25519;
  const key = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('hex');
  t.match(
    verify(bare, key, { 'x-sig': sign(null, BODY, privateKey).toString('hex') }),
    { ok: true },
    '32 bytes in hex',
  );
});

t.test('a token in a header', async (t) => {
  const of: HookSection = { token: { header: 'Authorization', prefix: 'Bearer ' }, delivery_id: { header: 'X-Id' } };
  t.match(verify(of, 'abc', { authorization: 'Bearer abc', 'x-id': '7' }), { ok: true, delivery_id: '7' });
  for (const header of ['Bearer abcd', 'Bearer ab', 'abc', 'bearer abc', 'Bearer ', 'Bearer  abc'])
    t.match(verify(of, 'abc', { authorization: header }), { ok: false, reason: 'wrong' }, header);
  t.match(verify(of, 'abc', {}), { ok: false, reason: 'missing' });
  t.match(verify(of, '', { authorization: 'Bearer ' }), { ok: false }, 'an empty token is none');
});

t.test('types of deliveries become types of events', async (t) => {
  const typed = (event_type: object, headers: Record<string, string>, body: unknown = {}) => {
    const of = { token: { header: 'X-T' }, event_type } as HookSection;
    const verdict = verify(of, 'k', { 'x-t': 'k', ...headers }, Buffer.from(JSON.stringify(body)));
    return verdict.ok ? verdict.event_type : verdict;
  };
  t.equal(typed({ header: 'X-E' }, { 'x-e': 'Push Hook' }), 'Push Hook', 'without a rule it stays');
  t.equal(typed({ header: 'X-E', other: '-', case: 'lower' }, { 'x-e': 'Push  Hook' }), 'push-hook');
  t.equal(typed({ header: 'X-E', other: '.' }, { 'x-e': 'orders/create' }), 'orders.create');
  t.equal(typed({ header: 'X-E', map: { 'Push Hook': 'push' }, other: '_' }, { 'x-e': 'Push Hook' }), 'push');
  t.equal(typed({ header: 'X-E', map: { a: 'b' } }, { 'x-e': 'constructor' }), 'constructor');
  t.equal(typed({ header: 'X-E', default: 'other' }, {}), 'other');
  t.equal(typed({ pointer: '/a/b', or: ['/c'] }, {}, { a: { b: 'x' }, c: 'y' }), 'x');
  t.equal(typed({ pointer: '/a/b', or: ['/d', '/c'] }, {}, { c: 'y' }), 'y');
  t.equal(typed({ pointer: '/a' }, {}, []), undefined);
});

t.test('a question is told from an event', async (t) => {
  const of: HookSection = {
    token: { header: 'X-T' },
    challenge: { pointer: '/type', equals: 'url_verification', answer: '/challenge' },
  };
  const ask = (body: unknown) => verify(of, 'k', { 'x-t': 'k' }, Buffer.from(JSON.stringify(body)));
  t.match(ask({ type: 'url_verification', challenge: 'abc' }), { ok: true, challenge: 'abc' });
  for (const body of [{ type: 'other', challenge: 'abc' }, { type: 'url_verification' }, { challenge: 'abc' }, 'x'])
    t.equal((ask(body) as { challenge?: string }).challenge, undefined, JSON.stringify(body));
  t.match(verify(of, 'k', { 'x-t': 'no' }, Buffer.from('{"type":"url_verification","challenge":"a"}')), { ok: false });
});
