import t from 'tap';
import { Database, Expressions, Metrics } from '../../../kernel/contracts/index.ts';
import { tablesWith } from '../../../test/kit/index.ts';
import type { Json } from '../../engine/runs/contract.ts';
import { send } from '../../../features/support/far-end.ts';
import { validateAnswerRules } from './contract.ts';
import { CANARY, http, RequestServer } from './testing/request-server.ts';

t.setTimeout(600_000);

const requests = await RequestServer.open('sqlite');
const { far, server } = requests;
t.teardown(() => requests.close());

const JSON_TYPE = { 'content-type': 'application/json' };

/** Answers each request with the next of these bodies, and then with the last. */
const answering = (...bodies: (Json | { status: number; body: Json; headers?: Record<string, string> })[]) =>
  requests.answering((_seen, response, nth) => {
    const one = bodies[Math.min(nth, bodies.length) - 1] as { status?: number; body?: Json; headers?: object };
    const whole = typeof one.status === 'number' ? one : { status: 200, body: one as Json };
    send(response, whole.status!, { ...JSON_TYPE, ...whole.headers }, JSON.stringify(whole.body));
  });

const paths = () => far.seen.map(({ path }) => path);

t.test('a response that failed_when recognizes fails the attempt', async (t) => {
  const slack = {
    when: 'body.ok == false',
    message: 'body.error',
    retry_when: 'body.error == "ratelimited"',
  };
  const cases: [Json, Record<string, Json>, string | undefined][] = [
    [{ ok: true }, slack, undefined],
    [{ ok: false, error: 'no_channel' }, slack, ': no_channel'],
    [{ ok: false, error: `${CANARY}-1 is unknown` }, slack, ': *** is unknown'],
    [{ ok: false }, slack, ': {"ok":false}'],
    [{ other: 1 }, slack, ' (body.ok: no such field): {"other":1}'],
    [{ ok: 'no' }, { when: 'body.ok' }, ' (the result is string, not a boolean): {"ok":"no"}'],
    [{ errors: [] }, { when: 'has(body.errors) && size(body.errors) > 0' }, undefined],
    [{ errors: [{ a: 1 }] }, { when: 'size(body.errors) > 0', message: 'body.errors[0]' }, ': {"a":1}'],
    [[1], { when: 'status != 200 || headers["content-type"] != "application/json"' }, undefined],
  ];
  for (const [body, failed_when, detail] of cases) {
    answering(body);
    const { status, error } = await requests.run([http({ url: far.url('/x'), credential: 'bot', failed_when })]);
    t.equal(status, detail === undefined ? 'succeeded' : 'failed', JSON.stringify(body));
    if (detail === undefined) continue;
    t.equal(error!.code, 'request_failed');
    const [, message] = error!.message.split(`${far.url('/x')} answered 200, a failure by failed_when`);
    if (!detail.includes('the result is')) t.equal(message, detail);
    t.equal(far.seen.length, 1);
  }
  t.same(await tablesWith(server.use(Database), CANARY), []);
});

t.test('only the failures of retry_when are tried again', async (t) => {
  const failed_when = { when: '!body.ok', message: 'body.error', retry_when: 'body.error == "busy"' };
  const node = http({ url: far.url(), failed_when }, { retry: { attempts: 3, backoff_ms: 1 } });
  answering({ ok: false, error: 'busy' }, { ok: true });
  t.match(await requests.run([node]), { status: 'succeeded', output: { body: { ok: true } } });
  t.equal(far.seen.length, 2);
  answering({ ok: false, error: 'gone' });
  t.match(await requests.run([node]), { status: 'failed', error: { message: /: gone$/ } });
  t.equal(far.seen.length, 1, 'another failure is final');
  answering({ ok: false, error: 'gone' });
  const every = http({ url: far.url(), failed_when: { when: '!body.ok' } }, { retry: { attempts: 3, backoff_ms: 1 } });
  t.match(await requests.run([every]), { status: 'failed' });
  t.equal(far.seen.length, 3, 'without retry_when, every failure is');
});

t.test('a status that is nominated is reported first, and a response that is too large is refused', async (t) => {
  answering({ status: 503, body: { ok: false } });
  const failed_when = { when: '!body.ok' };
  const { error } = await requests.run([http({ url: far.url('/x'), retry_on: [503], failed_when })]);
  t.match(error, { message: / answered 503: \{"ok":false\}$/ });
  answering({ ok: true, text: 'x'.repeat(3 * 1024 * 1024) });
  t.match((await requests.run([http({ url: far.url('/x'), failed_when })])).error, { code: 'answer_too_large' });
});

const collect = (paginate: Record<string, Json>, more: Record<string, Json> = {}) =>
  requests.run([http({ url: far.url('/items?a=1&cursor=zero&b=%2F'), paginate, ...more })]);

t.test('each kind of pagination reads all pages', async (t) => {
  const items = 'body.items';
  answering({ items: [1, 2], next: 'c/2' }, { items: [], next: 3 }, { items: [4], next: '' });
  const cursor = await collect({ kind: 'cursor', items, next: 'body.next', query: 'cursor' });
  t.match(cursor, { status: 'succeeded', output: { status: 200, body: [1, 2, 4], pages: 3, complete: true } });
  t.same(paths(), ['/items?a=1&cursor=zero&b=%2F', '/items?a=1&b=%2F&cursor=c%2F2', '/items?a=1&b=%2F&cursor=3']);

  answering({ items: [1] }, { items: [2] }, { items: [] });
  t.match(await collect({ kind: 'page', items, query: 'page' }), {
    output: { body: [1, 2], pages: 3, complete: true },
  });
  t.same(
    paths().map((path) => new URL(path, far.url()).searchParams.get('page')),
    [null, '2', '3'],
    'the first request is that of the config',
  );
  answering({ items: [1], more: true }, { items: [2], more: false });
  t.match(await collect({ kind: 'page', items, query: 'page', first: 0, more: 'body.more' }), {
    output: { body: [1, 2] },
  });
  t.match(paths()[1], /page=1$/);

  answering({ items: [1, 2, 3] }, { items: [4] }, { items: [] });
  t.match(await collect({ kind: 'offset', items, query: 'skip' }), { output: { body: [1, 2, 3, 4], complete: true } });
  t.match(paths(), [/./, /skip=3$/, /skip=4$/]);

  answering({ items: [1], next: { after: 'x' } }, { items: [2] });
  const next = 'body.next.after';
  const body = { query: 'q', page: { size: 1 } };
  t.match(
    await collect({ kind: 'cursor', items, next, body: '/page/after' }, { method: 'POST', body }),
    { output: { body: [1, 2], complete: true } },
    'a missing cursor ends the list',
  );
  t.same(
    far.seen.map((seen) => JSON.parse(seen.body)),
    [body, { query: 'q', page: { size: 1, after: 'x' } }],
  );
  t.same(
    far.seen.map(({ headers }) => headers['idempotency-key']),
    [undefined, undefined],
    'one key would make all pages the same request',
  );

  const link = `<${far.url('/other')}>; rel=prev, </items?page=2,3>; title="a; rel=no"; rel="last next"`;
  answering({ status: 200, body: [1], headers: { link } }, [2]);
  t.match(await collect({ kind: 'link', items: 'body' }), { output: { body: [1, 2], complete: true } });
  t.same(paths()[1], '/items?page=2,3');
  answering({ items: [1], links: { next: '?p=2' } }, { items: [2], links: { next: null } });
  t.match(await collect({ kind: 'link', items, next: 'body.links.next' }, { query: { q: 'x' } }), {
    output: { body: [1, 2] },
  });
  t.same(paths()[1], '/items?p=2', 'the link is complete');
});

t.test('every page is authenticated, masked and counted', async (t) => {
  const count = async () => {
    const { text } = await server.use(Metrics).render();
    return Number(/^svc_requests_total\{outcome="answered"\} (\d+)/m.exec(text)![1]);
  };
  const before = await count();
  answering({ items: [`${CANARY}-1`], next: 'a' }, { items: [2], next: null });
  const paginate = { kind: 'cursor', items: 'body.items', next: 'body.next', query: 'cursor' };
  t.match(await collect(paginate, { credential: 'bot' }), { output: { body: ['***', 2] } });
  t.same(
    far.seen.map(({ headers }) => headers.authorization),
    [`Bearer ${CANARY}-1`, `Bearer ${CANARY}-1`],
  );
  t.equal((await count()) - before, 2);
});

t.test('numbers stay exact', async (t) => {
  requests.answering((_seen, response) => send(response, 200, JSON_TYPE, '{"items": [12345678901234567890123, 1.10]}'));
  const run_id = await requests.submit([http({ url: far.url(), paginate: { kind: 'link', items: 'body.items' } })]);
  await requests.over(run_id);
  const { text } = await server.call('member', `GET ${server.scoped}/runs/${run_id}`);
  t.match(text, /\[12345678901234567890123,1\.10?\]/);
});

t.test('a limit ends the list early, and the output says so', async (t) => {
  const endless = () => requests.answering((_seen, response, nth) => send(response, 200, JSON_TYPE, `[${nth},${nth}]`));
  const page = { kind: 'page', items: 'body', query: 'page' };
  endless();
  t.match(await collect({ ...page, max_pages: 3 }), {
    output: { body: [1, 1, 2, 2, 3, 3], pages: 3, complete: false },
  });
  t.equal(far.seen.length, 3);
  endless();
  t.match(await collect({ ...page, max_items: 3 }), { output: { body: [1, 1, 2], pages: 2, complete: false } });
  endless();
  t.match(await collect({ ...page, max_items: 4 }), { output: { body: [1, 1, 2, 2], pages: 2, complete: false } });
  t.equal(far.seen.length, 2);
  requests.answering((_seen, response) => send(response, 200, JSON_TYPE, JSON.stringify(['x'.repeat(700_000)])));
  const { output } = await collect(page);
  t.match(output, { pages: 3, complete: false });
  t.equal((output as { body: Json[] }).body.length, 2, 'items of up to 2 MiB');
});

t.test('a page that fails fails the node, with its number', async (t) => {
  const cursor = { kind: 'cursor', items: 'body.items', next: 'body.next', query: 'cursor' };
  const first = { items: [1], next: 'a' };
  const cases: [Parameters<typeof answering>, Record<string, Json>, RegExp][] = [
    [[first, { status: 500, body: 'oops' }], {}, /page 2: http\S+ answered 500: "oops"$/],
    [[{ status: 302, body: null }], {}, /page 1: http\S+ answered 302/],
    [[first, { ok: false }], { failed_when: { when: 'has(body.ok)' } }, /page 2: .*a failure by failed_when/],
    [[first, { rows: [] }], {}, /page 2: .* answered 200, but paginate.items: body.items: no such field$/],
    [[first, { items: {} }], {}, /page 2: .*paginate.items is not a list$/],
    [[first, { items: [2], next: 'a' }], {}, /page 2: .*paginate.next is that of the page before$/],
    [[{ items: [1], next: ['a'] }], {}, /page 1: .*paginate.next is no text$/],
    [
      [{ items: [1], next: 'https://other.example.org/x' }],
      { paginate: { kind: 'link', items: 'body.items', next: 'body.next' } },
      /page 1: .*leads to another server, https:\/\/other\.example\.org$/,
    ],
    [[first, { items: ['x'.repeat(3 * 1024 * 1024)] }], {}, /page 2: .*more than 2097152 bytes/],
  ];
  for (const [bodies, more, message] of cases) {
    answering(...bodies);
    const { status, error } = await collect(cursor, more);
    t.equal(status, 'failed');
    t.match(error!.message, message);
  }
  requests.answering((_seen, response, nth) =>
    nth === 1 ? send(response, 200, JSON_TYPE, JSON.stringify(first)) : response.destroy(),
  );
  t.match((await collect(cursor)).error, { code: 'egress_failed', message: /page 2: .*the connection broke/ });
});

t.test('invalid rules are found before anything is sent', async (t) => {
  const expressions = server.use(Expressions);
  const rules = (paginate: object) =>
    validateAnswerRules({ paginate: { items: 'body', ...paginate } as never }, expressions);
  t.same(rules({ kind: 'link' }), []);
  t.same(rules({ kind: 'page', query: 'page', first: 0, more: 'body.more' }), []);
  t.match(rules({ kind: 'cursor', query: 'c' }), [{ pointer: '/paginate/next' }]);
  t.match(rules({ kind: 'page' }), [{ pointer: '/paginate', message: /query or body/ }]);
  t.match(rules({ kind: 'page', query: 'a', body: '/a' }), [{ pointer: '/paginate' }]);
  t.match(rules({ kind: 'link', query: 'a' }), [{ pointer: '/paginate/query' }]);
  t.match(rules({ kind: 'link', items: 'body.(' }), [{ pointer: '/paginate/items', message: /line 1, column/ }]);
  t.match(validateAnswerRules({ failed_when: { when: 'input.x' } }, expressions), [
    { pointer: '/failed_when/when', message: /input/ },
  ]);
  answering({});
  const linked = http({ url: far.url('/{credential}'), credential: 'hole', paginate: { kind: 'link', items: 'body' } });
  t.match((await requests.run([linked])).error, {
    code: 'request_invalid',
    message: /\/paginate\/kind cannot be link/,
  });
  t.match((await requests.run([http({ url: far.url(), paginate: { kind: 'all', items: 'body' } })])).error, {
    code: 'request_invalid',
  });
  t.equal(far.seen.length, 0);
});
