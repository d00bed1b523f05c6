import t from 'tap';
import { type Expressions, Expressions as ExpressionsToken } from '../../../kernel/contracts/index.ts';
import { boot } from '../../../test/kit/index.ts';
import type { ConnectorManifest, ManifestAction } from '../manifests/contract.ts';
import type { ConnectorAction, ConnectorCall } from './contract.ts';
import { compileAction } from './domain/action.ts';
import { configSchema } from './domain/node-config.ts';

t.setTimeout(600_000);

const server = await boot({ plugins: ['expressions'] });
t.teardown(() => server.close());
const expressions: Expressions = server.use(ExpressionsToken);

const manifest = (action: ManifestAction, more: Partial<ConnectorManifest> = {}): ConnectorManifest => ({
  manifest: 'svc-connector/v1',
  name: 'one',
  title: 'One',
  actions: { go: action },
  ...more,
});
const text = (name: string, more: object = {}) => ({ name, type: 'string' as const, ...more });

function compile(action: ManifestAction, more?: Partial<ConnectorManifest>): ConnectorAction {
  const compiled = compileAction(manifest(action, more), 'go', expressions);
  if ('problems' in compiled) throw new Error(JSON.stringify(compiled.problems));
  return compiled.action;
}

const call = (more: Partial<ConnectorCall> = {}): ConnectorCall => ({
  with: {},
  input: {},
  node: { idempotency_key: 'run_1~a' },
  ...more,
});

/** The request of an action whose body is the template. */
function bodyOf(body: unknown, input: ConnectorCall['input'] = {}): unknown {
  const names = ['a', 'b', 'c'].map((name) => ({ name, type: 'any' as const }));
  const action = compile({
    inputs: [...names, text('md', { markdown: true })],
    request: { method: 'POST', url: 'https://x.example.org/', body: body as object },
  });
  const lowered = action.lower(call({ input }));
  return 'request' in lowered ? lowered.request.body : lowered.faults;
}

t.test('holes: whole ones keep their type, in a text values become text, what is absent drops its key', async (t) => {
  const cases: [template: unknown, input: ConnectorCall['input'], body: unknown][] = [
    ['{{ input.a }}', { a: [1, { b: true }] }, [1, { b: true }]],
    ['{{input.a}}', { a: null }, null],
    [' {{ input.a }}', { a: [1] }, ' [1]'],
    ['{{ input.a }} and {{ input.b }}', { a: 'x', b: { n: 1.5 } }, 'x and {"n":1.5}'],
    [{ a: '{{ input.a }}', b: 'b' }, {}, { b: 'b' }],
    [{ a: 'text {{ input.a }}', b: [1, '{{ input.a }}', 2] }, {}, { b: [1, 2] }],
    [{ a: { b: '{{ input.a.b.c }}' } }, { a: { b: 1 } }, { a: {} }],
    ['{{ {"}}": input.a}["}}"] }}', { a: 1 }, 1],
    ["{{ '}}' + input.a }}", { a: 'x' }, '}}x'],
    ['{{ input.a + 1 }}', { a: 41 }, 42],
    ['{{ has(input.a) ? input.a : "none" }}', {}, 'none'],
    ['{{ input }}', { a: 1 }, { a: 1 }],
    ['{ not a hole } }}', {}, '{ not a hole } }}'],
    [{ $map: { on: '{{ input.a }}', cases: { x: 1, true: [2] }, default: 3 } }, { a: 'x' }, 1],
    [{ $map: { on: '{{ input.a }}', cases: { x: 1, true: [2] }, default: 3 } }, { a: true }, [2]],
    [{ $map: { on: '{{ input.a }}', cases: { x: 1 }, default: '{{ input.b }}' } }, { a: 'constructor', b: 4 }, 4],
    [{ k: { $map: { on: '{{ input.a }}', cases: { x: 1 } } }, l: 1 }, {}, { l: 1 }],
    [
      '{{ html(input.md) }}|{{ plain(input.md) }}|{{ input.md }}',
      { md: '*x* <i>' },
      '<p><em>x</em> &lt;i&gt;</p>|x <i>|*x* <i>',
    ],
    [{ k: '{{ html(input.md) }}' }, {}, {}],
  ];
  for (const [template, input, body] of cases) t.same(bodyOf(template, input), body, JSON.stringify(template));
  t.match(bodyOf('{{ input.a + 1 }}', { a: 'x' }), [{ pointer: '/input/a', message: /does not match/ }]);
  t.match(bodyOf('{{ input.a.b == 1 && true }}', {}), [{ pointer: '/input/a' }]);
});

t.test('values go where the template puts them and nowhere else', async (t) => {
  const at = (url: string, input: ConnectorCall['input'], more: Partial<ManifestAction['request']> = {}) => {
    const action = compile({
      inputs: [
        { name: 'a', type: 'any' },
        { name: 'b', type: 'any' },
      ],
      request: { method: 'GET', url, ...more },
    });
    const lowered = action.lower(call({ input }));
    return 'request' in lowered ? lowered.request.url : lowered.faults[0]!;
  };
  const good: [url: string, a: unknown, is: string][] = [
    ['https://h/x/{{ input.a }}/y', 'a b/c?d#e%2f&ü', 'https://h/x/a%20b%2Fc%3Fd%23e%252f%26%C3%BC/y'],
    ['https://h/{{ path(input.a) }}/y', 'o r/n?', 'https://h/o%20r/n%3F/y'],
    ['https://h/x?q={{ input.a }}&z', 'a&b=c +', 'https://h/x?q=a%26b%3Dc%20%2B&z'],
    ['https://h/x?q={{ input.a }}', '', 'https://h/x?q='],
    ['https://h/{{ input.a }}', 7, 'https://h/7'],
    ['https://h/x-{{ input.a }}.json', '..', 'https://h/x-...json'],
    ['https://{{ input.a }}.example.org/y', 'eu-1', 'https://eu-1.example.org/y'],
    ['{{ input.a }}/y', 'https://h:8/p//', 'https://h:8/p/y'],
    ['{{ input.a }}', 'http://[::1]:8/p?sig=a%2Fb', 'http://[::1]:8/p?sig=a%2Fb'],
    ['https://h/{{ input.a }}', '{credential}', 'https://h/%7Bcredential%7D'],
  ];
  for (const [url, a, is] of good) t.equal(at(url, { a: a as never }), is, url);
  const bad: [url: string, a: unknown, why: RegExp][] = [
    ['https://h/{{ input.a }}/y', undefined, /is required/],
    ['https://h/{{ input.a }}/y', '', /must not be empty/],
    ['https://h/{{ input.a }}/y', null, /string or a number/],
    ['https://h/{{ input.a }}/y', { b: 1 }, /string or a number/],
    ['https://h/{{ input.a }}/y', '..', /\. or \.\./],
    ['https://h/{{ input.a }}', '.', /\. or \.\./],
    ['https://h/{{ path(input.a) }}/y', 'a/../../b', /\. or \.\./],
    ['https://h/{{ path(input.a) }}/y', '%2e%2E/b', /\. or \.\./],
    ['https://h/{{ path(input.a) }}/y', '/a', /must not begin/],
    ['https://h/{{ input.a }}', '\ud800', /Unicode/],
    ['https://{{ input.a }}/y', 'evil.org/x?', /host name/],
    ['https://{{ input.a }}/y', 'me@evil.org', /host name/],
    ['{{ input.a }}/y', 'ftp://h', /https:\/\/ or http/],
    ['{{ input.a }}/y', 'example.org', /https:\/\/ or http/],
    ['{{ input.a }}/y', 'https://me:secret@h', /username or password/],
    ['{{ input.a }}/y', 'https://h?x=1', /query/],
    ['{{ input.a }}/y', 'https://h/{credential}', /spaces/],
    ['{{ input.a }}', 'https://h/#x', /spaces/],
    ['{{ input.a }}', 'javascript:alert(1)', /https:\/\/ or http/],
  ];
  for (const [url, a, why] of bad) {
    const said = at(url, a === undefined ? {} : { a: a as never });
    t.match(said, { pointer: '/input/a', message: why }, `${url} with ${JSON.stringify(a)}`);
  }
  const query = { q: '{{ input.a }}', r: '{{ input.b }}', s: 'x y' };
  t.equal(at('https://h/', { a: ['1', '&'] }, { query }), 'https://h/?q=1&q=%26&s=x%20y', 'lists repeat the name');
  t.equal(at('https://h/?z=1', { b: { n: 1 } }, { query }), 'https://h/?z=1&r=%7B%22n%22%3A1%7D&s=x%20y');
});

t.test('headers, forms and texts', async (t) => {
  const action = compile(
    {
      inputs: [text('a'), { name: 'list', type: 'array' }],
      request: {
        method: 'POST',
        url: 'https://h/',
        headers: { 'X-A': 'v {{ input.a }}', 'X-Key': '{{ node.idempotency_key }}' },
        body: { a: '{{ input.a }}', n: 1, list: '{{ input.list }}' },
        encoding: 'form',
      },
    },
    { credential: { kind: 'api_key', header: 'x-key' } },
  );
  t.same(action.lower(call({ input: { a: 'ü', list: [1, 'b'] } })), {
    request: {
      method: 'POST',
      url: 'https://h/',
      headers: { 'X-A': 'v ü', 'X-Key': 'run_1~a' },
      body: { a: 'ü', n: '1', list: ['1', 'b'] },
      encoding: 'form',
      requires_credential: { kinds: ['api_key'], header: 'x-key' },
    },
  });
  t.same(action.lower(call()), {
    request: {
      method: 'POST',
      url: 'https://h/',
      headers: { 'X-Key': 'run_1~a' },
      body: { n: '1' },
      encoding: 'form',
      requires_credential: { kinds: ['api_key'], header: 'x-key' },
    },
  });
  for (const a of ['x\r\nX-Other: 1', 'x\ny', 'x\0', '\u{1f600}'])
    t.match(action.lower(call({ input: { a } })), { faults: [{ pointer: '/input/a', message: /the X-A header/ }] });
});

t.test('fields and inputs: defaults, types, choices, unknown names', async (t) => {
  const action = compile(
    {
      inputs: [text('a', { required: true }), { name: 'n', type: 'integer' }, text('s', { one_of: ['x', 'y'] })],
      request: {
        method: 'POST',
        url: 'https://h/',
        body: { c: '{{ with.c }}', n: '{{ input.n }}', o: '{{ with.o }}' },
      },
    },
    { fields: [text('c', { default: 'svc' }), { name: 'o', type: 'object' }] },
  );
  const body = (more: Partial<ConnectorCall>) => {
    const lowered = action.lower(call(more));
    return 'request' in lowered ? lowered.request.body : lowered.faults.map(({ pointer }) => pointer);
  };
  t.same(body({ input: { a: 'x' } }), { c: 'svc' });
  t.same(body({ input: { a: '', n: null }, with: { c: null } }), { c: 'svc' }, 'null says: not given');
  t.same(body({ input: { a: 'x', n: 1 }, with: { c: 'mine', o: {} } }), { c: 'mine', n: 1, o: {} });
  t.same(body({}), ['/input/a']);
  t.same(body({ input: { a: 1, n: 1.5, s: 'z', more: 1 }, with: { c: 1, o: [], more: 1 } }), [
    '/with/c',
    '/with/o',
    '/with/more',
    '/input/a',
    '/input/n',
    '/input/s',
    '/input/more',
  ]);
  t.match(action.lower(call({ input: { a: 1 } })), {
    faults: [{ message: 'must be a string, not a whole number' }],
  });
  const schema = configSchema(action) as { required: string[]; properties: Record<string, { required?: string[] }> };
  t.same(schema.required, ['input']);
  t.same(Object.keys(schema.properties), ['with', 'input', 'headers', 'retry_on', 'fail_on_error_status']);
  t.same(schema.properties.input!.required, ['a']);
});

t.test('templates that cannot work are told with rule and fix', async (t) => {
  const url = 'https://h/';
  const request = (more: object): ManifestAction['request'] => ({ method: 'POST', url, ...more });
  const cases: [request: ManifestAction['request'], pointer: string, rule: string, says: RegExp][] = [
    [request({ body: '{{ input.nope }}' }), '/body', 'name_undeclared', /input\.nope.*add \{"name": "nope"/],
    [request({ body: { a: ['{{ with.nope }}'] } }), '/body/a/0', 'name_undeclared', /to \/fields, or use with\.f/],
    [request({ body: '{{ input["nope"] }}' }), '/body', 'name_undeclared', /input\.nope/],
    [request({ body: '{{ node.secret }}' }), '/body', 'name_undeclared', /use node\.idempotency_key/],
    [request({ body: '{{ node }}' }), '/body', 'name_undeclared', /reads node,/],
    [request({ body: '{{ process.env.HOME }}' }), '/body', 'hole_invalid', /unknown name `process`.*with\.<field>/],
    [request({ body: "{{ require('fs') }}" }), '/body', 'hole_invalid', /unknown function `require`/],
    [request({ body: '{{ input.a + }}' }), '/body', 'hole_invalid', /line 1, column/],
    [request({ body: '{{ }}' }), '/body', 'hole_form', /empty/],
    [request({ body: '{{ input.a' }), '/body', 'hole_form', /not closed/],
    [request({ body: '{{ html(input.a) }}' }), '/body', 'markdown_only', /marked as Markdown/],
    [request({ body: '{{ html(with.f) }}' }), '/body', 'markdown_only', /marked as Markdown/],
    [request({ body: '{{ "x" + html(input.md) }}' }), '/body', 'hole_invalid', /only around a whole expression/],
    [request({ body: '{{ path(input.a) }}' }), '/body', 'path_in_url', /path of the url/],
    [request({ body: { $map: { on: '{{ input.x }}', cases: {} } } }), '/body/$map/on', 'name_undeclared', /input\.x/],
    [request({ body: { $map: { on: 'a', cases: { a: '{{ x }}' } } } }), '/body/$map/cases/a', 'hole_invalid', /`x`/],
    [request({ url: 'ftp://h/' }), '/url', 'url_form', /must begin with https/],
    [request({ url: '{{ with.f }}x' }), '/url', 'url_form', /must begin with \/ or \?/],
    [request({ url: 'https://h/a b' }), '/url', 'url_form', /spaces/],
    [request({ url: 'https://h/{a}' }), '/url', 'url_form', /can contain \{ and \}/],
    [request({ url: 'https://u:p@h/' }), '/url', 'url_form', /username or password/],
    [request({ url: 'https://h/../x' }), '/url', 'url_form', /\. or \.\./],
    [request({ url: 'https://h/{credential}' }), '/url', 'credential_place', /needs a credential of kind url_token/],
    [request({ headers: { 'X-A': '{credential}' } }), '/headers', 'credential_place', /must not contain/],
    [
      request({ headers: { Authorization: 'Bearer {{ with.f }}' } }),
      '/headers/Authorization',
      'header_forbidden',
      /secrets/,
    ],
    [request({ headers: { Host: 'x' } }), '/headers/Host', 'header_forbidden', /connection/],
    [request({ headers: { 'x-a': '1', 'X-A': '2' } }), '/headers/X-A', 'header_twice', /twice/],
    [{ method: 'GET', url, body: {} }, '/body', 'body_unused', /sends no body/],
    [request({ body: 'x', encoding: 'form' }), '/body', 'body_form', /must be an object/],
  ];
  for (const [given, pointer, rule, says] of cases) {
    const described = { inputs: [text('a'), text('md', { markdown: true })], request: given };
    const compiled = compileAction(manifest(described, { fields: [text('f')] }), 'go', expressions);
    const faults = 'problems' in compiled ? compiled.problems : [];
    const found = faults.find((one) => one.pointer === `/actions/go/request${pointer}` && one.rule === rule);
    t.match(found && `${found.message}; ${found.fix}`, says, `${JSON.stringify(given)} ${JSON.stringify(faults)}`);
  }
  const sign = { header: 'X-Sig', algorithm: 'sha256', encoding: 'hex', signs: '{body}' } as const;
  const signed: [sign: object, credential: ConnectorManifest['credential'], pointer: string][] = [
    [sign, undefined, '/sign'],
    [sign, { kind: 'bearer', required: false }, '/sign'],
    [{ ...sign, signs: 'x' }, { kind: 'bearer' }, '/sign/signs'],
    [{ ...sign, signs: '{timestamp}{body}' }, { kind: 'bearer' }, '/sign/timestamp_header'],
    [{ ...sign, timestamp_header: 'X-T' }, { kind: 'bearer' }, '/sign/timestamp_header'],
    [{ ...sign, signs: '{id}{body}' }, { kind: 'bearer' }, '/sign/id_header'],
    [{ ...sign, signs: '{id}{body}', id_header: 'X-Id' }, { kind: 'bearer' }, '/sign/id_header'],
  ];
  for (const [given, credential, pointer] of signed) {
    const compiled = compileAction(manifest({ request: request({ sign: given }) }, { credential }), 'go', expressions);
    t.match(
      compiled,
      { problems: [{ rule: 'sign_form', pointer: `/actions/go/request${pointer}` }] },
      JSON.stringify(given),
    );
  }
  const missing = compileAction(
    manifest({ request: request({}) }, { credential: { kind: 'url_token' } }),
    'go',
    expressions,
  );
  t.match(missing, { problems: [{ rule: 'credential_place', message: 'must contain {credential}' }] });
});
