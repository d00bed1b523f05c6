import { connect } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import type { HttpRequest, Route } from '../../../kernel/contracts/index.ts';
import { cpuOf } from '../../../test/kit/index.ts';
import { compile, parseJson } from '../schema/contract.ts';
import { LIMITS } from './limits.ts';
import { ADA, ask, assemble, JSON_TYPE, postJson, route, sendRaw, type TestParts } from './testing/test-server.ts';

const THING = {
  type: 'object',
  additionalProperties: false,
  required: ['name'],
  properties: { name: { type: 'string' }, any: {}, list: { type: 'array', items: { type: 'integer' } } },
};

const echo = async ({ body, raw }: HttpRequest) => ({ status: 200, json: { body: body ?? 'none', bytes: raw.length } });

function posts(changes: Partial<Route>): Route {
  return route({ path: '/things', method: 'POST', handle: echo, ...changes });
}

async function serve(t: Test, routes: Route[], parts: Omit<TestParts, 'routes'> = {}) {
  const { http, lines } = assemble({ routes, ...parts });
  await http.listen();
  t.teardown(() => http.close(0));
  return { url: http.base_url(), lines };
}

t.test('a body is JSON, validated, with every fault by its pointer', async (t) => {
  const { url } = await serve(t, [
    posts({ body: THING }),
    posts({ path: '/raw', raw_body: true }),
    posts({ path: '/none' }),
    posts({ path: '/any', body: {} }),
    posts({ path: '/open', body: { type: 'object' } }),
    posts({ path: '/patch', body: { type: 'object', properties: { a: {} } } }),
  ]);
  t.same((await postJson(url, '/things', { name: 'a', any: [1] })).json.body, { name: 'a', any: [1] });
  const wrong = await postJson(url, '/things', { nam: 'a', list: [1, 'x'] });
  t.equal(wrong.status, 400);
  t.same(wrong.json.errors, [
    { pointer: '/name', message: 'is required' },
    { pointer: '/nam', message: 'is not a known member' },
    { pointer: '/list/1', message: 'must be an integer' },
  ]);
  t.match((await postJson(url, '/things', '')).json, {
    status: 400,
    errors: [{ pointer: '/name', message: 'is required' }],
  });
  t.match(
    (await postJson(url, '/open', { x: 1 })).json,
    { errors: [{ pointer: '/x' }] },
    'closed although its author forgot',
  );
  t.same((await postJson(url, '/patch', '')).json.body, {});
  t.same((await postJson(url, '/any', '')).json.body, 'none');
  t.same((await postJson(url, '/any', 'null')).json.body, 'none');
  t.same((await postJson(url, '/any', '[1]')).json.body, [1]);
  t.match((await postJson(url, '/none', '{}')).json, { status: 400, detail: /does not accept a body/ });
  t.equal((await ask(url, '/none', { method: 'POST' })).status, 200);
  t.same((await ask(url, '/raw', { method: 'POST', body: Buffer.from([0, 255, 1]) })).json, { body: 'none', bytes: 3 });
});

t.test('content types', async (t) => {
  const { url } = await serve(t, [posts({ body: THING })]);
  const status = async (type: string | undefined) => {
    const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
    return (await ask(url, '/things', { method: 'POST', headers, body: '{"name":"a"}' })).status;
  };
  for (const type of [
    'application/json',
    'Application/JSON; charset=UTF-8',
    'application/json;charset="utf-8"',
    'application/vnd.x+json',
  ])
    t.equal(await status(type), 200, type);
  for (const type of [
    undefined,
    '',
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
    'application/jsonx',
    'x/json',
  ])
    t.equal(await status(type), 415, type ?? 'absent');
});

t.test('what is not JSON is told where', async (t) => {
  const { url } = await serve(t, [posts({ body: {} })]);
  const detail = async (text: string | Buffer) => {
    const { status, json } = await postJson(url, '/things', text);
    t.equal(status, 400, String(text).slice(0, 40));
    return String(json.detail);
  };
  const faults: [string, RegExp][] = [
    ['{"a": 1,\n "b" 2}', /expected : at line 2, column 6/],
    ['{', /ends where name or } is expected at line 1, column 2/],
    ['{"a":1,}', /expected name at line 1, column 8/],
    ['[1,]', /expected value at line 1, column 4/],
    ['[1 2]', /expected , or \] at line 1, column 4/],
    ['{"a":1 "b":2}', /expected , or } at line 1, column 8/],
    ['nul', /expected value at line 1, column 1/],
    ['01', /line 1, column/],
    ['1 1', /expected end at line 1, column 3/],
    ['"a\u0001"', /expected value at line 1, column 1/],
    ['"a', /line 1, column 1/],
    ['"\\x"', /line 1, column 1/],
    ["{'a':1}", /expected name or } at line 1, column 2/],
    ['NaN', /line 1/],
    ['[]]', /expected end at line 1, column 3/],
    ['   ', /ends where value is expected/],
    ['é{', /line 1, column 1/],
    [`"${'x'.repeat(900_000)}`, /line 1, column 1/],
    ['[1e400, }', /column 9/],
  ];
  for (const [text, expected] of faults) t.match(await detail(text), expected);
  t.match(await detail(Buffer.from([0x22, 0xff, 0x22])), /not valid UTF-8/);
  t.match(await detail(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])), /not valid UTF-8/);
  t.match(await detail(Buffer.from('{"a":1}', 'utf16le')), /not valid JSON/);
  t.match(await detail('"hunter2'), /^(?!.*hunter2)/, 'nothing of the body comes back');
  t.same((await postJson(url, '/things', '\ufeff{"a":1}')).json.body, { a: 1 }, 'a byte order mark is passed over');
  t.same((await postJson(url, '/things', '{"a":1,"a":2}')).json.body, { a: 2 }, 'the last of a repeated member');
});

t.test('depth, number of values, surrogates, prototypes', async (t) => {
  const { url } = await serve(t, [posts({ body: {} })]);
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  t.equal((await postJson(url, '/things', nested(100))).status, 200);
  t.match((await postJson(url, '/things', nested(101))).json, { status: 400, detail: /deeper than 100/ });
  t.equal((await postJson(url, '/things', '['.repeat(1_000_000))).status, 400);
  t.equal((await postJson(url, '/things', '{"a":'.repeat(200_000))).status, 400);
  t.equal(
    (await postJson(url, '/things', `["${'['.repeat(200)}", "\\"${'{'.repeat(200)}"]`)).status,
    200,
    'brackets in strings',
  );
  t.match((await postJson(url, '/things', '{"a":["ok","\\ud800"]}')).json, {
    status: 400,
    errors: [{ pointer: '/a/1' }],
  });
  t.equal((await postJson(url, '/things', '{"\\uDFFF":1}')).status, 400);
  t.same((await postJson(url, '/things', '["\\ud83d\\ude00"]')).json.body, ['😀']);
  t.same((await postJson(url, '/things', '["\\\\ud800"]')).json.body, ['\\ud800'], 'a backslash and letters');
  t.same((await postJson(url, '/things', '["\\u0000"]')).json.body, ['\u0000']);
  const { text } = await postJson(url, '/things', '{"__proto__":{"x":1},"constructor":{"prototype":{"x":1}}}');
  t.match(text, /"__proto__":\{"x":1\}/);
  t.equal(({} as { x?: number }).x, undefined);
});

t.test('the limit counts decoded bytes, exactly', async (t) => {
  const { url } = await serve(t, [posts({ raw_body: true, body_limit: 1000 })]);
  const send = (body: Buffer, headers: Record<string, string> = {}) =>
    ask(url, '/things', { method: 'POST', body, headers });
  const chunked = { 'transfer-encoding': 'chunked' };
  const zipped = { gzip: gzipSync, 'x-gzip': gzipSync, deflate: deflateSync, br: brotliCompressSync };
  t.same((await send(Buffer.alloc(1000))).json.bytes, 1000);
  t.same((await send(Buffer.alloc(1000), chunked)).json.bytes, 1000);
  const over = await send(Buffer.alloc(1001));
  t.match(over.json, { status: 413, code: 'payload_too_large', limit_bytes: 1000 });
  t.equal((await send(Buffer.alloc(1001), chunked)).status, 413);
  for (const [encoding, compress] of Object.entries(zipped)) {
    t.same((await send(compress(Buffer.alloc(1000)), { 'content-encoding': encoding })).json.bytes, 1000, encoding);
    t.equal((await send(compress(Buffer.alloc(1001)), { 'content-encoding': encoding })).status, 413, encoding);
    t.equal(
      (await send(compress(Buffer.alloc(1000)).subarray(0, -3), { 'content-encoding': encoding })).status,
      400,
      `half ${encoding}`,
    );
    t.equal((await send(Buffer.from('no such thing'), { 'content-encoding': encoding })).status, 400, `no ${encoding}`);
  }
  t.equal((await send(Buffer.alloc(10), { 'content-encoding': 'compress' })).status, 415);
  t.equal((await send(Buffer.alloc(10), { 'content-encoding': 'constructor' })).status, 415);
  t.equal((await send(gzipSync(gzipSync(Buffer.alloc(1))), { 'content-encoding': 'gzip, gzip' })).status, 415);
  t.same((await send(Buffer.alloc(10), { 'content-encoding': 'Identity' })).json.bytes, 10);
});

const MIB = 1024 * 1024;

/** Bodies that cost more than their size, up to the largest limit of any route. */
const HEAVY: Record<string, string> = {
  'more values than are taken': `[${'0,'.repeat(10 * MIB - 2)}0]`,
  'as many values as are taken': `{"name":"a","any":[${'[],'.repeat(490_000)}0]}`,
  'many values, all wrong': `{"name":"a","list":[${'"a",'.repeat(900_000)}1]}`,
  'more members than are taken': `{${Array.from({ length: 400_000 }, (_, i) => `"k${i}":1`).join()}}`,
  'as many members as are taken': `{${Array.from({ length: LIMITS.json_members }, (_, i) => `"k${i}":1`).join()}}`,
  'one long string': JSON.stringify({ name: 'x'.repeat(19 * MIB) }),
  'one long string without an end': `{"name":"${'x'.repeat(19 * MIB)}`,
  'many escapes': `{"name":"${'\\u00e9'.repeat(3 * MIB)}"}`,
  'one lone surrogate in many strings': `{"name":"a","any":[${'"a",'.repeat(900_000)}"\\ud800"]}`,
  'many lines and then a fault': `{${'\n'.repeat(19 * MIB)}`,
};

t.test('no body holds up the process, whatever it is made of', async (t) => {
  const validate = compile(THING);
  // What no server can avoid: reading the longest text and the most members that a route takes. Once first, to warm up.
  const floor = () =>
    cpuOf(() => {
      for (const name of ['one long string', 'as many members as are taken']) JSON.parse(HEAVY[name]!);
    });
  // What is quadratic takes hundreds of times as long; a busy machine makes either side twice as slow.
  const bound = 6 * Math.max(floor(), floor());
  for (const [name, text] of Object.entries(HEAVY)) {
    const raw = Buffer.from(text);
    t.ok(raw.length <= 20 * MIB, `${name}: a body that the largest route takes`);
    const once = () =>
      cpuOf(() => {
        try {
          validate(parseJson(raw, LIMITS), { all: false });
        } catch (error) {
          t.equal((error as { code?: string }).code, 'invalid_request', name);
        }
      });
    // What else the machine does can only add to it.
    const cost = Math.min(once(), once(), once());
    t.ok(cost < bound, `${name}: ${Math.round(cost)} of ${Math.round(bound)} ms`);
  }
});

t.test('bombs cost no memory', async (t) => {
  const { url } = await serve(t, [posts({ body: {} }), posts({ path: '/big', body: THING, body_limit: 20 * MIB })]);
  const bomb = gzipSync(Buffer.alloc(300 * MIB));
  const nothing = Buffer.alloc(2 * MIB, Buffer.from([0, 0, 0, 255, 255]));
  const emptyBlocks = Buffer.concat([gzipSync('').subarray(0, 10), nothing]);
  const before = process.memoryUsage().rss;
  const gzip = { 'content-encoding': 'gzip' };
  t.equal((await postJson(url, '/things', bomb, gzip)).status, 413);
  t.equal((await postJson(url, '/things', emptyBlocks, gzip)).status, 413, 'compressed nothing has an end too');
  t.ok(process.memoryUsage().rss - before < 100 * MIB);
  t.equal((await postJson(url, '/big', HEAVY['more values than are taken'])).status, 400);
  t.equal((await postJson(url, '/big', HEAVY['many values, all wrong'])).status, 400);
  t.equal((await postJson(url, '/big', HEAVY['one long string'])).status, 200);
});

t.test('a body that is refused unread still lets the caller see why', async (t) => {
  const { url } = await serve(t, [posts({ body: THING, access: { kind: 'user' } })], { limits: { linger_ms: 50 } });
  const large = Buffer.alloc(8 * 1024 * 1024);
  for (let round = 0; round < 5; round++) {
    t.equal((await postJson(url, '/things', large)).status, 401);
    t.equal((await postJson(url, '/things', large, ADA)).status, 413);
    t.equal((await postJson(url, '/nowhere', large, ADA)).status, 404);
    t.equal((await ask(url, '/things', { method: 'POST', headers: ADA, body: large })).status, 415);
  }
  const head = `POST /things HTTP/1.1\r\nHost: x\r\n`;
  const waiting = await sendRaw(url, `${head}Expect: 100-continue\r\nContent-Length: 10\r\n\r\n`);
  t.match(
    waiting,
    /^HTTP\/1\.1 401 [\s\S]*connection: close/i,
    'no 100 Continue for a stranger; closed without waiting for the body',
  );
  const asked = await sendRaw(
    url,
    `${head}Authorization: ${ADA.authorization}\r\nContent-Type: application/json\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 12\r\n\r\n{"name":"a"}`,
  );
  t.match(asked, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/);
  t.match(
    await sendRaw(url, `${head}Expect: tea\r\nContent-Length: 1\r\n\r\n`),
    /^HTTP\/1\.1 417 [\s\S]*expectation_failed/,
  );
});

t.test('slow, broken and abandoned bodies', async (t) => {
  const { url, lines } = await serve(t, [posts({ body: THING }), route({ path: '/after' })], {
    limits: { body_idle_ms: 40, body_total_ms: 120, linger_ms: 20 },
  });
  const head = 'POST /things HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
  t.match(await sendRaw(url, `${head}Content-Length: 10\r\n\r\n{`), /^HTTP\/1\.1 408 [\s\S]*request_timeout/, 'idle');
  t.match(await drip(url, `${head}Content-Length: 1000\r\n\r\n`), /^HTTP\/1\.1 408 /, 'never quite idle');
  t.match(
    await sendRaw(url, `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`),
    /^HTTP\/1\.1 400 [\s\S]*invalid_request/,
  );
  await sendRaw(url, `${head}Content-Length: 10\r\n\r\n{`, { end: true });
  t.equal((await ask(url, '/after')).status, 200);
  t.notOk(
    lines.some(({ level }) => level === 'error'),
    'none of it is a fault of the server',
  );
});

/** Sends a byte every few milliseconds until the server gives up. */
function drip(base_url: string, head: string): Promise<string> {
  const { hostname, port } = new URL(base_url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    const timer = setInterval(() => socket.write(' '), 10);
    let text = '';
    socket.write(head);
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(timer);
      resolve(text);
    });
  });
}

t.test('poison: no answer of the five hundreds, and the server lives', async (t) => {
  const { url, lines } = await serve(t, [posts({ body: THING }), posts({ path: '/raw', raw_body: true })]);
  let seed = 20261121;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed % below;
  };
  const valid = Buffer.from('{"name":"a\\u00e9","any":{"x":[1,2.5e3,true,null,"\\ud83d\\ude00"]},"list":[1,2,3]}');
  for (let round = 0; round < 400; round++) {
    const bytes = Buffer.from(valid);
    for (let flips = 1 + random(4); flips > 0; flips--) bytes[random(bytes.length)] = random(256);
    const body = round % 3 === 0 ? bytes.subarray(0, random(bytes.length)) : bytes;
    const packed = round % 5 === 0 ? gzipSync(body) : body;
    if (round % 10 === 0) packed[random(packed.length)] = random(256);
    const headers: Record<string, string> = {
      ...JSON_TYPE,
      ...(round % 5 === 0 ? { 'content-encoding': 'gzip' } : {}),
    };
    const { status } = await ask(url, round % 7 === 0 ? '/raw' : '/things', { method: 'POST', headers, body: packed });
    if (status >= 500) t.fail(`${status} for ${body.toString('latin1')}`);
  }
  t.equal((await postJson(url, '/things', valid)).status, 200);
  t.notOk(lines.some(({ level }) => level === 'error'));
});

t.test('bodies that come with their heads are told apart, and bounded', async (t) => {
  const { url } = await serve(t, [posts({ body: {}, body_limit: 8 })]);
  const post = (headers: string, body: string) =>
    `POST /things HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${body}`;
  const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
  const chunked = (body: string) => post('Transfer-Encoding: chunked', `${body === '' ? '' : chunk(body)}${chunk('')}`);
  const sent = [
    post('Content-Length: 5', '"one"'),
    chunked('"two"'),
    chunked(''),
    post('Connection: close\r\nContent-Length: 4', 'null'),
  ];
  const answers = await sendRaw(url, sent.join(''));
  t.same(answers.match(/"body":[^,]*/g), ['"body":"one"', '"body":"two"', '"body":"none"', '"body":"none"']);
  const long = await sendRaw(url, chunked('"too long"'), { end: true });
  t.match(long, /^HTTP\/1.1 413 /);
});

/** Sends a body in chunks of one byte each, and resolves with the status line of the answer. */
function sendBytes(url: string, count: number): Promise<string> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST /raw HTTP/1.1\r\nHost: x\r\nAuthorization: ${ADA.authorization}\r\nTransfer-Encoding: chunked\r\n\r\n`,
  );
  socket.write(Buffer.from('1\r\nx\r\n'.repeat(count)));
  socket.end('0\r\n\r\n');
  return new Promise((resolve) => {
    socket.once('data', (answer) => resolve(String(answer).split('\r\n', 1)[0]!));
    socket.on('error', () => resolve('reset'));
  });
}

t.test('a body in many tiny chunks takes little memory, and is refused beyond a limit', async (t) => {
  const { url } = await serve(t, [posts({ path: '/raw', raw_body: true })]);
  const status = (count: number) => sendBytes(url, count);
  t.equal(await status(16_000), 'HTTP/1.1 200 OK');
  t.equal(await status(17_000), 'HTTP/1.1 400 Bad Request');
  const before = process.memoryUsage().rss;
  const answers = await Promise.all(Array.from({ length: 8 }, () => status(400_000)));
  for (const answer of answers) t.match(answer, /400|reset/);
  // Kept chunk by chunk, they would take half a gigabyte.
  t.ok(process.memoryUsage().rss - before < 300 * 1024 * 1024);
});
