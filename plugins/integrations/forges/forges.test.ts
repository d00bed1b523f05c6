import { readFileSync } from 'node:fs';
import { Database, Expressions } from '../../../kernel/contracts/index.ts';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { ConnectorManifest } from '../manifests/contract.ts';
import { toForgeEvent } from './domain/event-of.ts';
import { type Forge, readForge } from './domain/forge.ts';
import { inlineRunId } from './domain/inline-run-id.ts';
import type { JsonObject } from './domain/json-pointer.ts';
import { listPaths } from './domain/push-paths.ts';
import { readPayload } from './domain/read-delivery.ts';
import { checkApiBase, checkRepo } from './domain/webhook-rules.ts';
import { type Address, deliver } from '../../../features/support/forge-delivery.ts';
import { openFarForge } from '../../../features/support/far-forge.ts';
import { boot, STORES, tablesWith, type TestServer } from '../../../test/kit/index.ts';

const TOKEN = 'far-token-0f3a9c';
const REPO = 'acme/site';

function manifestOf(name: string): ConnectorManifest {
  return JSON.parse(readFileSync(join(import.meta.dirname, `../../../connectors/${name}/manifest.json`), 'utf8'));
}
/** Boots no forge: expressions are a service like any other. */
const kernel = await boot({ plugins: ['expressions'], quiet: true });
t.teardown(() => kernel.close());
const expressions = kernel.use(Expressions);
const forgeOf = (name: string): Forge => readForge(manifestOf(name), expressions)!;

const commit = (added: string[], modified: string[] = [], removed: string[] = []) => ({ added, modified, removed });
const push = (more: JsonObject = {}): JsonObject => ({
  ref: 'refs/heads/main',
  after: 'a'.repeat(40),
  forced: false,
  deleted: false,
  commits: [commit(['b.txt', 'a.txt'], ['c.txt']), commit([], ['a.txt'], ['d.txt'])],
  repository: { full_name: REPO },
  sender: { login: 'ann' },
  ...more,
});

t.test('the paths of a push', async (t) => {
  const forge = forgeOf('forge_a');
  t.same(await listPaths(forge, push()), { paths: ['a.txt', 'b.txt', 'c.txt', 'd.txt'], is_complete: true });
  const unknown: [string, JsonObject][] = [
    ['no commits', { commits: [] }],
    ['no list of commits', { commits: null }],
    ['commits without lists', { commits: [{ id: 'x' }] }],
    ['one commit without a list', { commits: [commit(['a']), { added: ['b'] }] }],
    ['a list of something else', { commits: [commit(['a']), { added: [1], modified: [], removed: [] }] }],
    ['more commits than it lists', { size: 3 }],
    ['as many as the forge sends at most', { commits: Array.from({ length: 2048 }, () => commit(['a'])) }],
    ['more commits than are looked at', { commits: Array.from({ length: 50_001 }, () => commit(['a'])) }],
    ['more files than are looked at', { commits: [commit(Array.from({ length: 50_001 }, (_, at) => `f${at}`))] }],
  ];
  for (const [what, more] of unknown) t.equal((await listPaths(forge, push(more))).is_complete, false, what);
  t.same((await listPaths(forge, push({ commits: [commit(['z']), {}] }))).paths, ['z'], 'what is known is told');
  const other = forgeOf('forge_b');
  t.equal((await listPaths(other, push({ total_commits: 2 }))).is_complete, true);
  t.equal((await listPaths(other, push({ total_commits: 7 }))).is_complete, false);
  t.equal((await listPaths(other, push())).is_complete, true, 'a forge that does not count');
  const many = Array.from({ length: 49_000 }, (_, at) => `f/${(at * 7919) % 49_000}`);
  const sorted = (await listPaths(forge, push({ commits: [commit(many)] }))).paths;
  t.same([sorted.length, sorted.join() === [...many].sort().join()], [49_000, true]);
  for (const forced of [true, undefined])
    t.equal((await listPaths(forge, push({ forced } as JsonObject))).is_complete, true, 'forced');
});

t.test('a delivery as a form', async (t) => {
  const asForm = 'application/x-www-form-urlencoded';
  const read = (form: string) => readPayload(Buffer.from(form), asForm, 'payload');
  for (const form of ['payload=%7B%22a%22%3A1%7D', 'x=1&payload={"a":1}&y', 'payload={"a":1}&payload={"a":2}'])
    t.same(await read(form), { a: 1 }, form);
  t.same(await read('payload={"a":"b+c%26%C3%A9"}'), { a: 'b c&é' });
  for (const form of ['', 'payload', 'my_payload={}', 'x=payload={}'])
    await t.rejects(read(form), { code: 'invalid_request', message: 'the form has no field payload' }, form);
  await t.rejects(read('payload=&payload={}'), { code: 'invalid_request' }, 'the first one counts');
  const started = process.threadCpuUsage();
  t.same(await read(`${'a&'.repeat(200_000)}payload={}`), {});
  const { user, system } = process.threadCpuUsage(started);
  t.ok(user + system < 250_000, `${user + system} µs for many fields`);
  let [turns, is_over] = [0, false];
  const count = (): void => void setImmediate(() => is_over || (turns++, count()));
  count();
  await readPayload(Buffer.from(`{"a":[${'12345678901234567890,'.repeat(100_000)}0]}`), 'application/json', undefined);
  is_over = true;
  t.ok(turns >= 4, `${turns} turns of the event loop for other work`);
});

t.test('what a delivery comes to', async (t) => {
  const forge = forgeOf('forge_a');
  const event = await toForgeEvent(forge, REPO, { event: 'push', payload: push() });
  const fields = {
    forge: 'forge_a',
    repo: REPO,
    sender: 'ann',
    ref: 'refs/heads/main',
    sha: 'a'.repeat(40),
    paths: ['a.txt', 'b.txt', 'c.txt', 'd.txt'],
    paths_known: true,
  };
  t.same(event, { type: 'push', key: REPO, trusted: true, fields, payload: { ...fields, body: push() } });
  const opened = {
    action: 'opened',
    repository: { full_name: 'Acme/Site' },
    pull_request: { head: { sha: 's', ref: 'r' } },
  };
  t.same(await toForgeEvent(forge, REPO, { event: 'pull_request', payload: opened }), {
    type: 'forge.pull_request',
    key: REPO,
    payload: opened,
    fields: { forge: 'forge_a', repo: REPO, sha: 's', ref: 'r' },
    trusted: false,
  });
  const foreign = { event: 'push', payload: push({ repository: { full_name: 'acme/other' } }) };
  await t.rejects(toForgeEvent(forge, REPO, foreign), { code: 'delivery_foreign' });
  t.equal((await toForgeEvent(forge, REPO, { event: 'ping', payload: { zen: 'x' } })).key, REPO, 'about no repository');
  const noise = 'x'.repeat(2 * 1024 * 1024);
  await t.rejects(toForgeEvent(forge, REPO, { event: 'issues', payload: { noise } }), { code: 'payload_too_large' });
  const large = await toForgeEvent(forge, REPO, { event: 'push', payload: push({ noise }) });
  t.same(large.payload, fields, 'a large push goes without its body');
  const files = Array.from({ length: 120_000 }, (_, n) => `a/long/path/to/a/file/${n}`);
  const huge = await toForgeEvent(forge, REPO, { event: 'push', payload: push({ commits: [commit(files)] }) });
  t.match(huge.payload, { paths: [], paths_known: false, sha: 'a'.repeat(40) });
});

/** By event: trusted and untrusted examples. */
const TRUST: [forge: string, event: string, trusted: object[], untrusted: object[]][] = (() => {
  const repository = { full_name: REPO, owner: { login: 'acme' } };
  const home = { full_name: REPO, id: 1 };
  const fork = { full_name: 'eve/site', id: 2 };
  const pull = (head: JsonObject | null, author_association: string) => ({
    head: { repo: head, sha: 's', ref: 'r' },
    base: { repo: home },
    author_association,
  });
  const of = (pull_request: JsonObject, more: JsonObject = {}) => ({ repository, pull_request, ...more });
  const member = pull(home, 'MEMBER');
  const forked = pull(fork, 'MEMBER');
  const by = (author_association: string) => ({ author_association });
  const comment = (association: string, issue: JsonObject = {}) => ({ comment: by(association), issue });
  const run = (head_repository: JsonObject | null, event: string) => ({
    repository,
    workflow_run: { head_repository, event },
  });
  return [
    [
      'forge_a',
      'pull_request',
      [of(member), of(pull(home, 'OWNER')), of(pull(home, 'COLLABORATOR'))],
      [
        of(forked),
        of(pull(null, 'OWNER')),
        of(pull(home, 'NONE')),
        of(pull(home, 'CONTRIBUTOR')),
        of(pull(home, 'FIRST_TIMER')),
        {},
        of({}),
      ],
    ],
    [
      'forge_a',
      'pull_request_review',
      [of(member, { review: by('OWNER') })],
      [of(forked, { review: by('OWNER') }), of(member, { review: by('NONE') }), of(member)],
    ],
    [
      'forge_a',
      'pull_request_review_comment',
      [of(member, { comment: by('MEMBER') })],
      [of(forked, { comment: by('MEMBER') }), of(member, { comment: by('CONTRIBUTOR') })],
    ],
    [
      'forge_a',
      'pull_request_review_thread',
      [of(member, { thread: { comments: [by('MEMBER')] } })],
      [
        of(forked, { thread: { comments: [by('MEMBER')] } }),
        of(member, { thread: { comments: [by('MEMBER'), by('NONE')] } }),
      ],
    ],
    [
      'forge_a',
      'issues',
      [{ issue: by('OWNER') }],
      [{ issue: by('NONE') }, { issue: {} }, {}, { issue: { author_association: ['OWNER'] } }],
    ],
    [
      'forge_a',
      'issue_comment',
      [comment('OWNER', by('NONE')), comment('MEMBER', { pull_request: {}, ...by('MEMBER') })],
      [
        comment('NONE', by('OWNER')),
        comment('OWNER', { pull_request: {}, ...by('CONTRIBUTOR') }),
        comment('OWNER', { pull_request: {} }),
      ],
    ],
    ['forge_a', 'commit_comment', [{ comment: by('MEMBER') }], [{ comment: by('NONE') }]],
    [
      'forge_a',
      'discussion',
      [{ discussion: by('OWNER') }, { discussion: by('OWNER'), answer: by('MEMBER') }],
      [{ discussion: by('NONE') }, { discussion: by('OWNER'), answer: by('NONE') }],
    ],
    [
      'forge_a',
      'check_run',
      [{ check_run: { check_suite: { head_branch: 'main' }, pull_requests: [] } }],
      [
        { check_run: { check_suite: { head_branch: null }, pull_requests: [] } },
        {
          check_run: {
            check_suite: { head_branch: 'main' },
            pull_requests: [{ head: { repo: fork }, base: { repo: home } }],
          },
        },
      ],
    ],
    [
      'forge_a',
      'workflow_run',
      [run(home, 'push'), run(home, 'pull_request')],
      [run(fork, 'pull_request'), run(home, 'issue_comment'), run(home, 'pull_request_target'), run(null, 'push')],
    ],
    [
      'forge_a',
      'deployment',
      [
        { deployment: { creator: { type: 'User' } } },
        { workflow_run: null, deployment: { creator: { type: 'Bot' } } },
        run(home, 'push'),
      ],
      [run(fork, 'pull_request'), { deployment: { creator: { type: 'Bot' } } }, {}],
    ],
    ['forge_a', 'status', [{ branches: [{ name: 'main' }] }], [{ branches: [] }, {}]],
    ['forge_a', 'push', [push()], []],
    ['forge_a', 'release', [{}], []],
    ['forge_a', 'fork', [], [{}]],
    ['forge_a', 'star', [], [{}]],
    ['forge_a', 'watch', [], [{}]],
    ['forge_a', 'gollum', [], [{}]],
    ['forge_a', 'pull_request_target', [], [of(member)]],
    ['forge_a', 'never_heard_of', [], [{}]],
    ['forge_b', 'push', [push()], []],
    ['forge_b', 'pull_request', [of(pull(home, ''))], [of(forked), of(pull(null, ''))]],
    [
      'forge_b',
      'pull_request_approved',
      [of(member, { sender: { login: 'acme' } })],
      [of(forked, { sender: { login: 'acme' } }), of(member, { sender: { login: 'eve' } })],
    ],
    [
      'forge_b',
      'issue_comment',
      [{ repository, is_pull: false, comment: { user: { login: 'acme' } } }],
      [
        { repository, is_pull: true, comment: { user: { login: 'acme' } } },
        { repository, is_pull: false, comment: { user: { login: 'eve' } } },
      ],
    ],
    [
      'forge_b',
      'issues',
      [{ repository, issue: { user: { login: 'acme' } } }],
      [{ repository, issue: { user: { login: 'eve' } } }],
    ],
    ['forge_b', 'wiki', [], [{}]],
    ['forge_b', 'fork', [], [{}]],
  ];
})();

/** These payloads hold only what the rules read. */
function withoutShape(name: string): Forge {
  const manifest = manifestOf(name);
  const { shape: _, ...forge } = manifest.forge!;
  return readForge({ ...manifest, forge }, expressions)!;
}

t.test('who is trusted is decided by the rules of the manifest', async (t) => {
  for (const [name, event, trusted, untrusted] of TRUST) {
    const forge = withoutShape(name);
    for (const [nth, payload] of trusted.entries())
      t.equal(forge.isTrusted(event, payload as JsonObject), true, `${name} ${event} ${nth}`);
    for (const [nth, payload] of untrusted.entries())
      t.equal(forge.isTrusted(event, payload as JsonObject), false, `${name} ${event} not ${nth}`);
  }
});

t.test('a manifest whose rules do not compile stops the start, naming the place', async (t) => {
  const manifest = manifestOf('forge_a');
  const broken = { ...manifest, forge: { ...manifest.forge!, trust: { 'a~b/c': 'payload.x ==' } } };
  t.throws(() => readForge(broken, expressions), {
    code: 'connector_invalid',
    message: /^forge_a: \/forge\/trust\/a~0b~1c: /,
  });
  const stranger = { ...manifest, forge: { ...manifest.forge!, trust: { push: 'event.x' } } };
  t.throws(() => readForge(stranger, expressions), { code: 'connector_invalid' });
  const { hook: _, ...unsigned } = manifest;
  t.throws(() => readForge(unsigned as ConnectorManifest, expressions), { message: /forge_a: \/hook: / });
  t.equal(readForge(manifestOf('standard_webhooks'), expressions), undefined);
});

t.test('names of repositories, addresses of APIs and ids of runs', async (t) => {
  for (const repo of ['a/b', 'A-1/b.c_d']) t.doesNotThrow(() => checkRepo(repo));
  for (const repo of ['a', 'a/b/c', '/b', 'a/', 'a/..', './b', 'a/b ', 'ä/b', `a/${'b'.repeat(101)}`])
    t.throws(() => checkRepo(repo), { code: 'invalid_request', extras: { errors: [{ pointer: '/repo' }] } }, repo);
  t.equal(checkApiBase('https://forge.example/api/v1/'), 'https://forge.example/api/v1');
  t.equal(checkApiBase('http://127.0.0.1:3000'), 'http://127.0.0.1:3000');
  const wrong = [
    'http://forge.example',
    'ftp://x',
    'x',
    'https://a:b@x',
    'https://x/?a',
    'https://x/#a',
    'http://127.evil.example',
  ];
  for (const base of wrong) t.throws(() => checkApiBase(base), { code: 'invalid_request' }, base);
  const id = inlineRunId('evt_01J00000000000000000000000', 'site');
  t.match(id, /^run_01J0000000[0-9A-HJKMNP-TV-Z]{16}$/);
  t.equal(inlineRunId('evt_01J00000000000000000000000', 'site'), id);
  t.not(inlineRunId('evt_01J00000000000000000000001', 'site'), id);
});

for (const store of STORES)
  t.test(`webhooks on ${store}`, async (t) => {
    const server = await boot({
      store,
      access: 'project',
      env: { SVC_EGRESS_ALLOW: '127.0.0.1', SVC_UNTRUSTED_PROJECT_LIMITS: 'runs=2' },
    });
    t.teardown(() => server.close());
    await t.test('are set, shown, replaced and removed', (t) => registry(t, server));
    await t.test('are one, whoever sets them at once', (t) => race(t, server));
    await t.test('take only what is signed for them', (t) => signatures(t, server));
    await t.test('know a delivery again', (t) => redeliveries(t, server));
    await t.test('run their workflow where no handler takes pushes', (t) => inlineWorkflow(t, server));
    await t.test('start no more runs for strangers than untrusted runs may be open', (t) => strangersPushes(t, server));
    await t.test('are made at the forge', (t) => registration(t, server));
    await t.test('leave nothing behind when the forge refuses', (t) => refusedRegistration(t, server));
    await t.test('keep their secrets sealed', (t) => sealed(t, server));
  });

t.test('wrong signatures count as failed authentications', async (t) => {
  const server = await boot({ access: 'project', env: { SVC_RATE_LIMIT: 'failed=4/h' } });
  t.teardown(() => server.close());
  const webhook = await put(server, 'main', { forge: 'forge_a', repo: REPO });
  const wrong = { headers: { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` } };
  const unknown = { ...webhook, delivery_url: webhook.delivery_url.replace(/.{6}$/, 'ZZZZZZ') };
  const large = { raw: Buffer.alloc(8 * 1024 * 1024 + 1, 0x20) };
  t.equal((await deliver('forge_a', webhook, 'push', {}, large)).status, 413, 'a large delivery is read to verify it');
  for (const address of [webhook, webhook, unknown, unknown])
    t.equal((await deliver('forge_a', address, 'push', push(), wrong)).status, 401);
  for (const address of [webhook, unknown]) {
    const { status, json, headers } = await deliver('forge_a', address, 'push', push(), wrong);
    t.match({ status, json }, { status: 429, json: { code: 'rate_limited' } });
    t.ok(Number(headers.get('retry-after')) > 0);
  }
  t.equal((await deliver('forge_a', webhook, 'push', {}, large)).status, 429, 'it is no longer kept in memory');
  t.equal((await deliver('forge_a', webhook, 'push', push())).status, 202, 'a valid delivery is never rejected for it');
  const guess = await fetch(`${server.url}${server.scoped}/runs`, { headers: { authorization: 'Bearer svc_pat_x' } });
  t.equal(guess.status, 429, 'tokens share the limit');
});

async function put(server: TestServer, name: string, body: object): Promise<Address> {
  const { status, json, text } = await server.call('admin', `PUT ${server.scoped}/webhooks/${name}`, body);
  if (status !== 201) throw new Error(text);
  return json;
}

const seen = async (server: TestServer, event_id: string) =>
  (await server.call('member', `GET ${server.scoped}/events/${event_id}`)).json;

async function registry(t: Test, server: TestServer): Promise<void> {
  const path = `${server.scoped}/webhooks/main`;
  const ask = (line: string, body?: unknown) => server.call('admin', line, body);
  const made = await ask(`PUT ${path}`, { forge: 'forge_a', repo: REPO });
  t.equal(made.status, 201);
  t.match(made.json, { name: 'main', forge: 'forge_a', repo: REPO, registration: 'manual', secret: /^[\w-]{43}$/ });
  const { secret, ...shown } = made.json;
  t.ok(shown.delivery_url.startsWith(`${server.url}/api/v1/forges/whk_`));
  const read = await server.call('member', `GET ${path}`);
  t.same(read.json, shown, 'without the secret');
  t.same((await server.call('viewer', `GET ${path}`)).json, shown, 'whoever sees the project sees it');
  t.equal((await server.call('member', `PUT ${path}`, { forge: 'forge_a', repo: REPO })).status, 403);
  const again = await ask(`PUT ${path}`, {
    forge: 'forge_a',
    repo: REPO,
    workflow: { filename: 'a.sh', source: 'true' },
  });
  t.equal(again.status, 200);
  t.equal(again.json.delivery_url, shown.delivery_url);
  t.notOk('secret' in again.json, 'the secret stays and is not told again');
  t.same(again.json.workflow, { kind: 'script', filename: 'a.sh', source: 'true' });
  t.equal((await deliver('forge_a', { ...shown, secret }, 'ping', {})).status, 202);
  const rotated = await ask(`PUT ${path}`, { forge: 'forge_a', repo: REPO, rotate: true });
  t.not(rotated.json.secret, secret);
  t.equal((await deliver('forge_a', { ...shown, secret }, 'ping', {})).status, 401, 'the old one ends');
  t.equal((await deliver('forge_a', rotated.json, 'ping', {})).status, 202);
  const listed = await ask(`GET ${server.scoped}/webhooks?limit=1`);
  t.match(listed.json.webhooks, [{ name: 'main' }]);
  const wrong: [object, string, string][] = [
    [{ forge: 'nothing', repo: REPO }, '/forge', 'invalid_request'],
    [{ forge: 'standard_webhooks', repo: REPO }, '/forge', 'invalid_request'],
    [{ forge: 'forge_a', repo: 'site' }, '/repo', 'invalid_request'],
    [{ forge: 'forge_a', repo: REPO, color: 'red' }, '/color', 'invalid_request'],
    [{ forge: 'forge_a', repo: REPO, api_base: 'http://forge.example' }, '/api_base', 'invalid_request'],
    [{ forge: 'forge_a', repo: REPO, auto_register: true }, '/credential', 'invalid_request'],
    [{ forge: 'forge_b', repo: REPO, auto_register: true, credential: 'bot' }, '/api_base', 'invalid_request'],
    [{ forge: 'forge_a', repo: REPO, pipeline: 'a', workflow: { source: 'a' } }, '/workflow', 'invalid_request'],
    [
      { forge: 'forge_a', repo: REPO, workflow: { kind: 'nothing', source: 'a' } },
      '/workflow/kind',
      'workflow_kind_unknown',
    ],
    [
      { forge: 'forge_a', repo: REPO, workflow: { filename: 'a.sh', source: '', env: { SVC_X: '1' } } },
      '/workflow/env/SVC_X',
      'invalid_request',
    ],
  ];
  for (const [body, pointer, code] of wrong) {
    const { status, json } = await ask(`PUT ${server.scoped}/webhooks/wrong`, body);
    t.match(json, { code, errors: [{ pointer }] }, `${status} ${pointer}`);
    t.ok(status >= 400 && status < 500);
  }
  t.equal((await ask(`PUT ${server.scoped}/webhooks/-a`, { forge: 'forge_a', repo: REPO })).status, 400);
  t.equal((await ask(`GET ${server.scoped}/webhooks/wrong`)).status, 404, 'nothing was left');
  t.equal((await ask(`DELETE ${path}`)).status, 204);
  t.equal((await ask(`DELETE ${path}`)).status, 404);
  t.equal((await deliver('forge_a', rotated.json, 'ping', {})).status, 401);
}

async function race(t: Test, server: TestServer): Promise<void> {
  const body = { forge: 'forge_a', repo: REPO };
  const ask = () => server.call('admin', `PUT ${server.scoped}/webhooks/raced`, body);
  const answers = await Promise.all(Array.from({ length: 8 }, ask));
  const statuses = answers.map(({ status }) => status).sort();
  t.same(statuses, [200, 200, 200, 200, 200, 200, 200, 201]);
  const addresses = new Set(answers.map(({ json }) => json.delivery_url));
  const secrets = answers.flatMap(({ json }) => json.secret ?? []);
  t.same([addresses.size, secrets.length], [1, 1], 'one address and one secret');
  const made = answers.find(({ status }) => status === 201)!.json;
  t.equal((await deliver('forge_a', made, 'ping', {})).status, 202);
  const rotate = () => server.call('admin', `POST ${server.scoped}/webhooks/raced/rotate`, {});
  const rotated = await Promise.all(Array.from({ length: 8 }, rotate));
  t.same(new Set(rotated.map(({ status }) => status)), new Set([200]), 'every rotation counts, one after the other');
  const counts = await Promise.all(rotated.map(({ json }) => deliver('forge_a', json, 'ping', {})));
  t.equal(counts.filter(({ status }) => status === 202).length, 1, 'the secret of the last one');
}

async function signatures(t: Test, server: TestServer): Promise<void> {
  const webhook = await put(server, 'signed', { forge: 'forge_a', repo: REPO });
  const other = await put(server, 'other', { forge: 'forge_b', repo: REPO });
  const nobody = webhook.delivery_url.replace(/.{6}$/, 'ZZZZZZ');
  const known = { 'x-request-id': 'same' };
  const at = (delivery_url: string) => ({ ...webhook, delivery_url });
  const none = { ...known, 'x-hub-signature-256': undefined };
  const wrong = { ...known, 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` };
  const answers = [
    await deliver('forge_a', webhook, 'push', push(), { headers: none }),
    await deliver('forge_a', webhook, 'push', push(), { headers: wrong }),
    await deliver('forge_a', { ...webhook, secret: '' }, 'push', push(), { headers: known }),
    await deliver('forge_a', { ...webhook, secret: other.secret }, 'push', push(), { headers: known }),
    await deliver('forge_b', other, 'push', push(), { headers: { ...known, 'x-gitea-signature': 'zz' } }),
    await deliver('forge_a', at(nobody), 'push', push(), { headers: known }),
    await deliver('forge_a', at(nobody), 'push', push(), { headers: none }),
    await deliver('forge_a', at(`${server.url}/api/v1/forges/x`), 'push', push(), { headers: known }),
    await deliver('forge_a', webhook, 'push', '{ not json', { headers: wrong }),
  ];
  t.match(answers[0]!.json, { status: 401, code: 'signature_invalid' });
  t.equal(new Set(answers.map(({ text }) => text)).size, 1, 'nobody learns whether there is such a webhook');
  const form = new URLSearchParams({ payload: JSON.stringify(push()) }).toString();
  const asForm = { 'content-type': 'application/x-www-form-urlencoded' };
  const taken = await deliver('forge_a', webhook, 'push', {}, { raw: form, headers: asForm });
  t.match(taken, { status: 202, json: { event_type: 'push', event_id: /^evt_/ } });
  t.match((await seen(server, taken.json.event_id)).payload, { ref: 'refs/heads/main', body: push() });
  const refused: [number, string, object][] = [
    [400, 'invalid_request', { raw: '{ not json' }],
    [400, 'invalid_request', { raw: '[]' }],
    [400, 'invalid_request', { raw: '"\\ud800"' }],
    [400, 'invalid_request', { raw: '{"a":"\\ud800"}' }],
    [400, 'invalid_request', { raw: `{"a":${'['.repeat(101)}${']'.repeat(101)}}` }],
    [400, 'invalid_request', { raw: 'other=1', headers: asForm }],
    [400, 'invalid_request', { raw: Buffer.from([0x7b, 0xff, 0x7d]) }],
    [415, 'unsupported_media_type', { headers: { 'content-type': 'text/plain' } }],
    [415, 'unsupported_media_type', { headers: { 'content-encoding': 'gzip' } }],
    [400, 'invalid_request', { headers: { 'x-github-delivery': undefined } }],
    [400, 'invalid_request', { headers: { 'x-github-delivery': 'x'.repeat(129) } }],
    [400, 'invalid_request', { headers: { 'x-github-event': undefined } }],
    [400, 'event_type_invalid', { headers: { 'x-github-event': 'a b' } }],
    [400, 'event_type_invalid', { headers: { 'x-github-event': 'a'.repeat(59) } }],
    [422, 'delivery_foreign', { raw: JSON.stringify({ repository: { full_name: 'acme/secret' } }) }],
    [413, 'payload_too_large', { id: 'large', raw: JSON.stringify({ noise: 'x'.repeat(2 * 1024 * 1024) }) }],
    [413, 'payload_too_large', { id: 'huge', raw: JSON.stringify({ noise: 'x'.repeat(8 * 1024 * 1024) }) }],
    [401, 'signature_invalid', { raw: ' '.repeat(9 * 1024 * 1024), headers: { 'x-hub-signature-256': 'sha256=00' } }],
    [413, 'payload_too_large', { raw: ' '.repeat(33 * 1024 * 1024) }],
  ];
  for (const [status, code, sending] of refused) {
    const answer = await deliver('forge_a', webhook, 'issues', {}, sending);
    t.match(answer, { status, json: { code } }, `${code} ${JSON.stringify(sending).slice(0, 60)}`);
  }
  const far = await deliver('forge_a', at(nobody), 'push', {}, { raw: ' '.repeat(9 * 1024 * 1024), headers: known });
  t.equal(far.text, answers[0]!.text, 'nor by a body that is too large');
  const { entries } = (await server.call('admin', `GET ${server.scoped}/audit?action=delivery.refuse`)).json;
  t.match(entries, [
    { subject: 'signed', detail: /^issues huge: the delivery is 8388620 bytes long/ },
    { subject: 'signed', detail: /^issues large: the payload has more than 2097152 bytes/ },
  ]);
  t.equal(entries.length, 2, 'strangers leave no entry');
  t.equal((await deliver('forge_a', webhook, 'a'.repeat(58), {})).json.event_type, `forge.${'a'.repeat(58)}`);
}

async function redeliveries(t: Test, server: TestServer): Promise<void> {
  const webhook = await put(server, 'again', { forge: 'forge_b', repo: REPO });
  const first = await deliver('forge_b', webhook, 'issues', { n: 1 }, { id: 'one' });
  const second = await deliver('forge_b', webhook, 'issues', { n: 1 }, { id: 'one' });
  t.same([second.status, second.json], [202, { ...first.json, duplicate: true }]);
  const other = await deliver('forge_b', webhook, 'issues', { n: 1 }, { id: 'two' });
  t.not(other.json.event_id, first.json.event_id);
  const elsewhere = await put(server, 'elsewhere', { forge: 'forge_b', repo: REPO });
  const far = await deliver('forge_b', elsewhere, 'issues', { n: 1 }, { id: 'one' });
  t.not(far.json.event_id, first.json.event_id, 'ids are of one webhook');
  t.match(await seen(server, first.json.event_id), { type: 'forge.issues', key: REPO, payload: { n: 1 } });
}

async function inlineWorkflow(t: Test, server: TestServer): Promise<void> {
  const workflow = { filename: 'ci.sh', source: 'true', tags: ['inline'], requires: ['nobody-has-this'] };
  const webhook = await put(server, 'ci', { forge: 'forge_a', repo: REPO, workflow });
  const pushed = async (more: JsonObject = {}) => {
    const { json } = await deliver('forge_a', webhook, 'push', push(more));
    const event = await seen(server, json.event_id);
    return { event_id: json.event_id as string, deliveries: event.deliveries as JsonObject[] };
  };
  const { event_id, deliveries } = await pushed();
  const run_id = inlineRunId(event_id, 'ci');
  t.match(deliveries, [{ reaction: 'webhook', name: 'ci', state: 'delivered', run_id }]);
  const run = (await server.call('member', `GET ${server.scoped}/runs/${run_id}`)).json;
  const trigger = {
    type: 'push',
    event: event_id,
    webhook: 'ci',
    forge: 'forge_a',
    repo: REPO,
    ref: 'refs/heads/main',
    sha: 'a'.repeat(40),
    sender: 'ann',
  };
  t.match(run, { workflow: 'ci.sh', subject: REPO, tags: ['inline'], trusted: true, generation: 0, trigger });
  t.match((await pushed({ deleted: true })).deliveries, [{ state: 'declined', reason: /deleted/ }]);
  const handler = { on: ['pu*'], when: 'false', filename: 'h.sh', source: 'true' };
  const handlers = `${server.scoped}/handlers`;
  t.equal((await server.call('admin', `PUT ${handlers}/taker`, handler)).status, 201);
  const declined = (await pushed()).deliveries.filter(({ reaction }) => reaction === 'webhook');
  t.match(declined, [{ name: 'ci', state: 'declined', reason: /taker/ }], 'also when its predicate declines');
  t.equal((await server.call('admin', `DELETE ${handlers}/taker`)).status, 204);
  t.match((await pushed()).deliveries, [{ state: 'delivered' }], 'removing the handler restores it');
  const other = await deliver('forge_a', webhook, 'issues', {});
  t.same((await seen(server, other.json.event_id)).deliveries, [], 'nothing but pushes');
  for (const { run_id: id } of (await server.call('member', `GET ${server.scoped}/runs`)).json.runs)
    await server.call('member', `POST ${server.scoped}/runs/${id}/cancel`, {});
}

/** No signature covers the header that names the event: what has not the members of a push may be anybody's. */
async function strangersPushes(t: Test, server: TestServer): Promise<void> {
  const workflow = { filename: 'ci.sh', source: 'true', tags: ['stranger'], requires: ['nobody-has-this'] };
  const webhook = await put(server, 'mirror', { forge: 'forge_b', repo: REPO, workflow });
  const pushed = async (more: JsonObject = {}) => {
    const { json } = await deliver('forge_b', webhook, 'push', push(more));
    return seen(server, json.event_id);
  };
  const strangers = { after: undefined } as unknown as JsonObject;
  const runs = async () =>
    (await server.call('member', `GET ${server.scoped}/runs?tag=stranger`)).json.runs as JsonObject[];
  const cancel = async () => {
    for (const { run_id } of await runs())
      await server.call('member', `POST ${server.scoped}/runs/${run_id}/cancel`, {});
  };
  for (let n = 0; n < 2; n += 1)
    t.match(await pushed(strangers), { trusted: false, deliveries: [{ state: 'delivered' }] });
  t.match(
    await pushed(strangers),
    { type: 'push', deliveries: [{ name: 'mirror', state: 'refused', reason: /^untrusted_run_limit: .* 2 / }] },
    'it is recorded, and says why it started nothing',
  );
  t.equal((await runs()).length, 2);
  t.match(await pushed(), { trusted: true, deliveries: [{ state: 'delivered' }] }, 'a push of members is not held up');
  await cancel();
  t.match(await pushed(strangers), { deliveries: [{ state: 'delivered' }] }, 'there is room again');
  await cancel();
}

async function registration(t: Test, server: TestServer): Promise<void> {
  const far = await openFarForge(TOKEN);
  t.teardown(() => far.close());
  const credential = await server.call('admin', `PUT ${server.scoped}/credentials/bot`, {
    kind: 'bearer',
    token: TOKEN,
  });
  t.equal(credential.status, 201);
  const body = { forge: 'forge_a', repo: 'acme/auto', api_base: far.url, credential: 'bot', auto_register: true };
  far.hooks.set(
    'acme/auto',
    Array.from({ length: 100 }, (_, id) => ({ id, events: [], config: { url: `https://x/${id}` } })),
  );
  const pings: number[] = [];
  far.onHook = async (_, { config }) => {
    pings.push((await deliver('forge_a', { delivery_url: config.url, secret: config.secret! }, 'ping', {})).status);
  };
  const webhook = await put(server, 'auto', body);
  t.match(webhook, { registration: 'registered', warnings: [/SVC_PUBLIC_URL/] });
  t.same(pings, [202], 'the ping that comes at once is taken');
  const own = () => far.hooks.get('acme/auto')!.slice(100);
  t.match(own(), [
    { active: true, config: { url: webhook.delivery_url, content_type: 'json', secret: webhook.secret } },
  ]);
  t.same(own()[0]!.events, [
    'push',
    'issues',
    'issue_comment',
    'pull_request',
    'pull_request_review',
    'pull_request_review_comment',
    'release',
  ]);
  const path = `${server.scoped}/webhooks/auto`;
  t.equal((await server.call('admin', `PUT ${path}`, body)).status, 200);
  t.equal(own().length, 1, 'the same webhook is brought up to date');
  const asked = far.asked.length;
  const plain = { forge: 'forge_a', repo: 'acme/auto', workflow: { filename: 'a.sh', source: 'true' } };
  t.match((await server.call('admin', `PUT ${path}`, plain)).json, { registration: 'registered', credential: 'bot' });
  t.equal(far.asked.length, asked, 'what a change does not speak of stays');
  const rotated = (await server.call('admin', `PUT ${path}`, { ...plain, rotate: true })).json;
  t.equal(own()[0]!.config.secret, rotated.secret, 'the forge is told of a new secret');
  const turned = await server.call('admin', `POST ${path}/rotate`, { overlap: '1h' });
  t.match(turned.json, { old_secret_until: /Z$/, workflow: { source: 'true' }, registration: 'registered' });
  t.equal(own()[0]!.config.secret, turned.json.secret);
  const ping = async (secret: string) =>
    (await deliver('forge_a', { delivery_url: webhook.delivery_url, secret }, 'ping', {})).status;
  t.same([await ping(rotated.secret), await ping(turned.json.secret)], [202, 202], 'both count');
  t.match((await server.call('viewer', `GET ${path}`)).json, { last_old_secret_use: /Z$/ });
  t.match((await server.call('admin', `PUT ${path}`, plain)).json, { old_secret_until: /Z$/ }, 'set again, it stays');
  far.broken = { status: 500, body: '{"message":"broken"}' };
  t.equal((await server.call('admin', `POST ${path}/rotate`, {})).status, 424);
  far.broken = undefined;
  t.same([await ping(rotated.secret), await ping(turned.json.secret)], [202, 202], 'as it was');
  const ended = await server.call('admin', `POST ${path}/rotate`, { end_overlap: true });
  t.notOk('secret' in ended.json || 'old_secret_until' in ended.json);
  t.same([await ping(rotated.secret), await ping(turned.json.secret)], [401, 202]);
  t.equal((await server.call('member', `POST ${path}/rotate`, {})).status, 403);
  const uses = (await server.call('member', `GET ${server.scoped}/credentials/bot/uses`)).json.uses;
  t.match(uses, [{ kind: 'webhook', name: 'auto', detail: /forge/ }]);
  const moved = await server.call('admin', `PUT ${path}`, { ...body, repo: 'acme/moved' });
  t.equal(moved.status, 200);
  t.same([own().length, far.hooks.get('acme/moved')!.length], [0, 1], 'it moves with its repository');
  t.equal((await server.call('admin', `DELETE ${path}`)).status, 204);
  t.equal(far.hooks.get('acme/moved')!.length, 0);
  await put(server, 'left', body);
  far.broken = { status: 500, body: 'oops' };
  const removed = await server.call('admin', `DELETE ${server.scoped}/webhooks/left`);
  t.match(removed, { status: 200, json: { warnings: [/remains at the forge: .*500/] } });
  far.broken = undefined;
  const other = { ...body, forge: 'forge_b', repo: 'acme/other' };
  far.onHook = undefined;
  await put(server, 'bee', other);
  t.match(far.hooks.get('acme/other'), [{ type: 'gitea', config: { content_type: 'json' } }]);
  const manual = await server.call('admin', `PUT ${server.scoped}/webhooks/bee`, { ...other, auto_register: false });
  t.match(manual.json, { registration: 'manual' });
  t.equal(far.hooks.get('acme/other')!.length, 0, 'by hand from now on');
}

async function refusedRegistration(t: Test, server: TestServer): Promise<void> {
  const far = await openFarForge(TOKEN);
  t.teardown(() => far.close());
  await server.call('admin', `PUT ${server.scoped}/credentials/stale`, { kind: 'bearer', token: 'an-old-token' });
  await server.call('admin', `PUT ${server.scoped}/credentials/pair`, {
    kind: 'basic',
    username: 'u',
    password: 'pass',
  });
  const body = { forge: 'forge_a', repo: 'acme/no', api_base: far.url, credential: 'bot', auto_register: true };
  const ask = (more: object) => server.call('admin', `PUT ${server.scoped}/webhooks/no`, { ...body, ...more });
  const refusals: [object, number, string, RegExp][] = [
    [{ credential: 'stale' }, 424, 'forge_refused', /401 .*Bad credentials/],
    [{ credential: 'pair' }, 422, 'credential_wrong_kind', /basic/],
    [{ credential: 'nobody' }, 422, 'credential_missing', /nobody/],
    [{ api_base: 'https://10.0.0.1' }, 422, 'egress_refused', /private/],
    [{ api_base: 'https://127.0.0.2:1' }, 422, 'egress_refused', /loopback/],
    [{ api_base: 'http://127.0.0.1:1' }, 424, 'egress_failed', /refused/],
  ];
  for (const [more, status, code, detail] of refusals)
    t.match(await ask(more), { status, json: { code, detail } }, JSON.stringify(more));
  far.broken = { status: 403, body: JSON.stringify({ message: `no ${TOKEN}\u0007` }) };
  const { json, text } = await ask({});
  t.match(json, { code: 'forge_refused', forge_status: 403, detail: /no \*\*\*$/ });
  t.notMatch(text, TOKEN);
  for (const broken of ['not json', '{}', '[{}]'])
    t.match(((far.broken = { status: 200, body: broken }), await ask({})).json, { code: 'forge_refused' }, broken);
  t.equal((await server.call('admin', `GET ${server.scoped}/webhooks/no`)).status, 404, 'no row is left');
  far.broken = undefined;
  const made = await ask({});
  t.equal(made.status, 201);
  far.broken = { status: 500, body: '' };
  t.equal((await ask({ rotate: true })).status, 424);
  t.equal((await deliver('forge_a', made.json, 'ping', {})).status, 202, 'a change that failed changed nothing');
}

async function sealed(t: Test, server: TestServer): Promise<void> {
  const source = 'echo canary-of-a-workflow-7c1f';
  const { secret } = await put(server, 'deep', {
    forge: 'forge_a',
    repo: REPO,
    workflow: { filename: 'a.sh', source },
  });
  t.same(await tablesWith(server.use(Database), secret), []);
  t.same(await tablesWith(server.use(Database), 'canary-of-a-workflow-7c1f'), []);
  t.same(await tablesWith(server.use(Database), TOKEN), []);
  const { entries } = (await server.call('admin', `GET ${server.scoped}/audit?limit=200`)).json;
  const actions = new Set((entries as { action: string }[]).map(({ action }) => action));
  t.ok(actions.has('webhook.set') && actions.has('webhook.delete'));
}
