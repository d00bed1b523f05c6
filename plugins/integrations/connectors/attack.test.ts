import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { parse } from 'yaml';
import { Expressions, isServiceError } from '../../../kernel/contracts/index.ts';
import { boot, createMaskers } from '../../../test/kit/index.ts';
import { ManifestReading } from '../manifests/contract.ts';
import { maskResponse, type NodeResponse } from './domain/recorded-response.ts';
import type { PreparedExample } from './local/tool-answers.ts';
import { importOpenapi, type ImportOptions } from './openapi/import.ts';
import { importTool } from './tools/import.ts';
import { recordTool } from './tools/record.ts';

const server = await boot({ plugins: ['connectors'] });
t.teardown(() => server.close());
const deps = { reading: server.use(ManifestReading), expressions: server.use(Expressions) };
const maskers = createMaskers();

const SECRET = 'hunter-22/ü+&=%"';
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbmEifQ.c2lnbmF0dXJl';

/** Forms in which another system may repeat a value. */
const forms = (value: string): Record<string, string> => ({
  plain: value,
  percent: encodeURIComponent(value),
  form: new URLSearchParams({ v: value }).toString().slice(2),
  base64: Buffer.from(value).toString('base64'),
  base64url: Buffer.from(value).toString('base64url'),
  json: JSON.stringify(value).slice(1, -1),
  hex: Buffer.from(value).toString('hex'),
});

const record = (response: Partial<NodeResponse>, inputs: readonly string[] = []) =>
  JSON.stringify(
    maskResponse({ status: 200, headers: {}, body: null, ...response }, inputs, (all) => maskers.masker(all)),
  );

function assertNone(t: Test, text: string, value: string, where: string): void {
  for (const [form, spelling] of Object.entries(forms(value)))
    t.notOk(
      text.includes(spelling) || text.includes(JSON.stringify(spelling).slice(1, -1)),
      `${where}: ${form}: ${text}`,
    );
}

t.test('a recorded response has no value that is named like a secret', async (t) => {
  const body = {
    ...{ pin: 1234, token: 99887766, otpCode: '445566', sid: 'abcd99', 'x-api-key': true, access_key: 'AKIA99' },
    ...{ author: 'ana', spinning: 7, count: 3, passing: true },
    sessions: { sessiontoken00000001: { id: 'one', age: 77, kept: true } },
  };
  t.same(JSON.parse(record({ body })).body, {
    ...{ pin: 0, token: 0, otpCode: '***', sid: '***', 'x-api-key': false, access_key: '***' },
    ...{ author: 'ana', spinning: 7, count: 3, passing: true },
    sessions: { '***': { id: '***', age: 0, kept: false } },
  });
  const exact = { n: 12345678901234567890n, secret: 12345678901234567890n };
  t.same(record({ body: exact }), '{"status":200,"body":{"n":"***","secret":0}}', 'wherever the number is');
});

t.test('a value that is a secret once is one wherever it occurs', async (t) => {
  for (const [form, spelling] of Object.entries(forms(SECRET))) {
    const places = {
      value: `a ${spelling} z`,
      path: `https://a.example/${spelling}/x`,
      query: `https://a.example/?q=${spelling}`,
      [`name-${spelling}`]: 1,
      error: { message: [`bad value: ${spelling}`] },
    };
    assertNone(t, record({ status: 401, body: { access_token: SECRET, places } }), SECRET, `in the response: ${form}`);
    assertNone(t, record({ status: 500, body: { places } }, [SECRET]), SECRET, `from the call: ${form}`);
  }
  const headers = {
    'set-cookie': 'sid=cookie-4711; Path=/; HttpOnly',
    location: 'https://b.example/?access_token=location-4711',
    'content-type': 'text/plain; charset=utf-8; boundary=cookie-4711',
    'retry-after': 'cookie-4711',
    constructor: 'x',
    'x-cookie-4711': 'x',
  };
  t.equal(
    record({ headers, body: 'cookie-4711 and location-4711' }),
    '{"status":200,"headers":{"content-type":"text/plain; charset=utf-8"},"body":"*** and ***"}',
  );
});

t.test('texts in which secrets are written', async (t) => {
  const texts: Record<string, string> = {
    form: 'access_token=hidden-4711&scope=repo',
    'form of a list': 'user[password]=hidden-4711&x=1',
    'escaped form': 'next=%2Fa%3Fx&token%3Dhidden-4711',
    'JSON in a text': '{"password":"hidden-4711 with spaces","n":1}',
    'JSON after a text': 'refused: {"client_secret": "hidden-4711 with spaces"}',
    'JSON in JSON in a text': `log: ${JSON.stringify(JSON.stringify({ token: 'hidden-4711' }))}`,
    'URL with a password': 'see https://ana:hidden-4711@a.example/x',
    'URL with a name': 'see https://hidden-4711@a.example/x',
    'signed URL': 'https://a.example/f?X-Amz-Signature=hidden-4711&X-Amz-Date=1',
    header: 'GET / HTTP/1.1\r\nAuthorization: Basic hidden-4711 more\r\nAccept: a\r\n',
    cookies: 'Set-Cookie: a=1; sid=hidden-4711; Path=/\r\n',
    scheme: 'sent Bearer hidden-4711 to a',
    multipart: '--b\r\nContent-Disposition: form-data; name="password"\r\n\r\nhidden-4711 x\r\n--b--',
    xml: '<login><user>ana</user><ns:password kind="a">hidden-4711 x</ns:password></login>',
    html: '<form><input type="hidden" name="csrf" value="hidden-4711"></form>',
    key: '-----BEGIN RSA PRIVATE KEY-----\nhidden-4711\n-----END RSA PRIVATE KEY-----',
    jwt: `it is ${JWT}.`,
    settings: "DB_PASSWORD='hidden-4711 x'\nPORT=1\n",
  };
  for (const [name, text] of Object.entries(texts))
    for (const body of [text, { log: [text] }]) {
      const recorded = record({ body });
      t.notMatch(recorded, /hidden-4711|eyJ/, `${name}: ${recorded}`);
      t.match(recorded, /\*\*\*/, name);
    }
  t.same(JSON.parse(record({ body: { base64: Buffer.from('token=hidden-4711\0\xff').toString('base64') } })), {
    status: 200,
  });
  const ordinary = 'basic information: see https://a.example/x?page=2, author: ana, spin=3';
  t.equal(JSON.parse(record({ body: ordinary })).body, ordinary);
  const before = performance.now();
  for (const long of [
    'a'.repeat(2e6),
    'a='.repeat(1e6),
    '<a '.repeat(7e5),
    '['.repeat(2e6),
    'token'.repeat(4e5),
    'name="a"\n'.repeat(2e5),
  ])
    record({ body: long });
  t.ok(performance.now() - before < 30_000, 'in a time that does not grow with the square of the length');
});

t.test('secret values of the call are sent, and not recorded', async (t) => {
  const manifest = {
    ...{ manifest: 'svc-connector/v1', name: 'vaulted', title: 'Vaulted' },
    fields: [{ name: 'base_url', type: 'string', required: true }],
    actions: {
      login: {
        inputs: [
          { name: 'password', type: 'string', required: true },
          { name: 'pin', type: 'integer' },
          { name: 'text', type: 'string' },
          { name: 'session', type: 'string', one_of: ['short', 'long'] },
        ],
        request: {
          method: 'POST',
          url: '{{ with.base_url }}/login/{{ input.password }}',
          query: { q: '{{ input.password }}', s: '{{ input.session }}' },
          headers: { 'X-Text': '{{ input.text }}' },
          body: { p: '{{ input.password }}', pin: '{{ input.pin }}' },
        },
      },
    },
  };
  const from = join(t.testdir({ 'vaulted.json': JSON.stringify(manifest) }), 'vaulted.json');
  const flags = {
    from,
    with: JSON.stringify({ base_url: 'https://ana:hidden-4712@a.example' }),
    input: JSON.stringify({ password: 'hidden words', pin: 1234, text: 'is hidden words', session: 'short' }),
  };
  const refused = recordTool.run(server.use, { args: ['vaulted.login'], flags, env: {} });
  await t.rejects(refused, { code: 'connector_input_invalid' }, 'a URL with a password is none');
  const sound = { ...flags, with: JSON.stringify({ base_url: 'https://a.example' }) };
  const { json } = await recordTool.run(server.use, { args: ['vaulted.login'], flags: sound, env: {} });
  const { call, example, secrets } = json as PreparedExample;
  t.match(call.input, { password: 'hidden words', pin: 1234 });
  t.same(secrets, ['hidden words', '1234']);
  t.same(example, {
    action: 'login',
    with: { base_url: 'https://a.example' },
    input: { password: '***', pin: 0, text: 'is ***', session: 'short' },
    request: {
      method: 'POST',
      url: 'https://a.example/login/***?q=***&s=short',
      headers: { 'X-Text': 'is ***' },
      body: { p: '***', pin: 0 },
      encoding: 'json',
    },
  });
});

/** A document with these paths. */
const withPaths = (paths: object, more: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'Pet Store API', version: '1' },
  servers: [{ url: 'https://pets.example.org' }],
  ...more,
  paths,
});
const get = { get: {} };

/** The manifest as it is written, or the error of a document that is refused. */
function convert(document: unknown, options: ImportOptions = {}) {
  try {
    const { manifest, notes } = importOpenapi(document, options, deps);
    const text = JSON.stringify(manifest, null, 2);
    return { manifest, notes, text, ...deps.reading.check(JSON.parse(text)) };
  } catch (error) {
    if (isServiceError(error)) return { refusal: error.message };
    throw error;
  }
}

t.test('no reference leaves the document', async (t) => {
  const asked: string[] = [];
  const remote = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end('{}');
  });
  await new Promise<void>((resolve) => remote.listen(0, '127.0.0.1', resolve));
  t.teardown(() => remote.close());
  const url = `http://127.0.0.1:${(remote.address() as AddressInfo).port}/x.json`;
  for (const $ref of [
    url,
    'file:///etc/passwd',
    '../../../etc/passwd',
    '/etc/passwd',
    '#/constructor',
    '#/__proto__/x',
  ]) {
    const { text = '', problems } = convert(
      withPaths({
        '/ok': get,
        '/a': { get: { parameters: [{ $ref }] } },
        '/b': { $ref },
        '/c': { post: { requestBody: { $ref } } },
        '/d': { post: { requestBody: { content: { 'application/json': { schema: { $ref } } } } } },
        '/e': { get: { responses: { 200: { $ref } } } },
      }),
    ) as { text?: string; problems?: unknown };
    t.equal(problems, undefined);
    t.match(text, /get_ok/);
    t.notMatch(text, /root:|get_a|post_c/);
  }
  t.same(asked, []);
});

t.test('names that mean something else elsewhere are names', async (t) => {
  const paths = JSON.parse(
    JSON.stringify({
      '/constructor/{__x__}': {
        parameters: [
          { name: '__x__', in: 'path', required: true, schema: { $ref: '#/components/schemas/__x__' } },
          { name: 'constructor', in: 'query', required: true, schema: {} },
        ],
        post: {
          operationId: 'constructor',
          security: [{ constructor: [] }, { __x__: [] }],
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: {
                  allOf: [{ __x__: { type: 'string' }, properties: { b: {} } }],
                  type: 'object',
                  required: ['constructor', 'toString'],
                  properties: { toString: {}, __x__: { type: 'string' }, hasOwnProperty: {} },
                },
                example: {},
              },
            },
          },
          responses: { 200: { $ref: '#/constructor' } },
        },
      },
      '/x': { get: { operationId: '../../x' } },
      '/y': { get: { operationId: '__x__' } },
      '/z': { get: { operationId: '__proto__' } },
    }).replaceAll('__x__', '__proto__'),
  ) as object;
  const { manifest, problems } = convert(withPaths(paths, { info: { title: '../../__proto__' } })) as ReturnType<
    typeof importOpenapi
  > & { problems?: unknown };
  t.equal(problems, undefined);
  t.equal(manifest.name, 'proto');
  t.same(Object.keys(manifest.actions!), ['constructor', 'x', 'proto', 'proto_2']);
  t.equal(({} as { type?: string }).type, undefined);
  t.equal(manifest.examples!.length, 4);
  for (const name of ['../../x', '__proto__', '/etc', 'a/b', '..', 'A', 'x'.repeat(64)])
    t.match(convert(withPaths({ '/a': get }), { name }), { refusal: /^\/name / }, name);
});

t.test('an address with a password is not written', async (t) => {
  const fieldOf = (url: unknown) => {
    const { text = '' } = convert(withPaths({ '/a': get }, { servers: [{ url }] })) as { text?: string };
    t.notMatch(text, 'hunter');
    return (JSON.parse(text) as { fields: { default?: string }[] }).fields[0]!.default;
  };
  for (const url of [
    'https://ana:hunter22@a.example',
    'https://hunter22@a.example',
    'file:///etc/passwd',
    7,
    undefined,
  ])
    t.equal(fieldOf(url), undefined);
  t.equal(fieldOf(`https://a.example${'/'.repeat(1e6)}x`), undefined);
  // Such an address is a field that everybody sees, and requests to it need SVC_EGRESS_ALLOW.
  t.equal(fieldOf('http://169.254.169.254/latest'), 'http://169.254.169.254/latest');
});

t.test('a document of any size makes a manifest that svc reads, or an error that says what to do', async (t) => {
  const many = <T>(count: number, make: (index: number) => T) =>
    Array.from({ length: count }, (_, index) => make(index));
  const operations = Object.fromEntries(
    many(10_000, (index) => [`/pets/${index}`, { get: { operationId: 'list', description: 'x'.repeat(200) } }]),
  );
  t.match(convert(withPaths(operations)), { refusal: /the 10000 operations make .* choose some with --operations$/ });
  t.match(convert(withPaths(operations), { operations: ['list_10000'] }), {
    manifest: { actions: { list_10000: {} } },
  });
  const invalid = Object.fromEntries(
    many(5000, (index) => [
      `/pets/${index}`,
      { get: { parameters: [{ name: 'Host', in: 'header', required: true, schema: {} }] } },
    ]),
  );
  const { notes } = convert(withPaths({ '/ok': get, ...invalid })) as ReturnType<typeof importOpenapi>;
  t.equal(notes.length, 101);
  t.match(notes.at(-1), { note: '4900 more notes' });
  const parameters = many(50_000, (index) => ({ name: `p${index}`, in: 'query', schema: {} }));
  t.match(convert(withPaths({ '/a': { get: { parameters } } })), { refusal: /more than 256 parameters/ });
  const same = many(50_000, () => parameters[0]);
  t.match(convert(withPaths({ '/a': { get: { parameters: same } } })), { text: /input\.p0/ });
  const media = (example: unknown) => ({
    get: { responses: { 200: { content: { 'application/json': { example } } } } },
  });
  const large = Object.fromEntries(many(256, (index) => [`/a${index}`, media('x'.repeat(16_000))]));
  t.match(convert(withPaths(large)), { manifest: { examples: [] }, notes: [{ note: /too large/ }] });
  let deep: unknown = 1;
  for (let level = 0; level < 50_000; level += 1) deep = [deep];
  const holders = [
    media(deep),
    { get: { parameters: [{ name: 'q', in: 'query', schema: { default: deep, example: deep } }] } },
  ];
  t.match(convert(withPaths({ '/a': holders[0], '/b': holders[1] })), { text: /get_a/ });
});

t.test('a file that is no document takes neither memory nor time', async (t) => {
  const folder = t.testdir();
  const readFile = async (text: string | undefined, path = join(folder, 'api.yaml')) => {
    if (text !== undefined) writeFileSync(path, text);
    const answer = await importTool.run(server.use, { args: [path], flags: {}, env: {} }).catch((error: unknown) => {
      if (isServiceError(error)) return { text: error.message };
      throw error;
    });
    return answer.text;
  };
  t.match(await readFile('x'.repeat(50_000_000)), /more than 33554432 bytes$/);
  t.match(await readFile(undefined, '/dev/zero'), /more than 33554432 bytes$/);
  t.match(await readFile(undefined, folder), /^cannot read .*EISDIR/);
  t.match(await readFile(undefined, join(folder, 'none')), /there is no such file$/);
  t.match(await readFile(`a: ${'x'.repeat(9_000_000)}`), /bytes of YAML; convert it to JSON/);
  t.match(await readFile('['.repeat(20_000)), /neither YAML nor JSON|not OpenAPI/);
  const head = 'openapi: 3.1.0\ninfo: {title: Pets}\nservers: [{url: "https://a.example"}]\n';
  const levels = Array.from(
    { length: 9 },
    (_, at) =>
      `b${at}: &b${at} [${Array(10)
        .fill(at === 0 ? 'x' : `*b${at - 1}`)
        .join()}]`,
  );
  t.match(await readFile(`${head}${levels.join('\n')}\n`), /neither YAML nor JSON: Excessive alias count/);
  const paths = Array.from({ length: 4000 }, (_, at) => `  /p${at}: {get: {operationId: op${at}}}`).join('\n');
  t.equal(await readFile(`${head}paths:\n${paths}\n`), '4000 actions');
  const loop = `${head}loop: &loop {type: object, allOf: [*loop], example: *loop, properties: {a: *loop}, default: *loop, enum: [*loop]}
paths:
  /a:
    parameters: [{name: q, in: query, required: true, schema: {default: *loop, example: *loop}, example: *loop}]
    post:
      requestBody: {content: {application/json: {schema: *loop, example: *loop}}}
      responses: {200: {content: {application/json: {example: *loop}}}}
`;
  t.equal(await readFile(loop), '1 action');
  t.match(convert(parse(loop)), { text: /post_a/ });
});
