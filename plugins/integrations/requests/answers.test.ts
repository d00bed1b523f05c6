import t from 'tap';
import { Database } from '../../../kernel/contracts/index.ts';
import { STORES, tablesWith } from '../../../test/kit/index.ts';
import type { Json } from '../../engine/runs/contract.ts';
import { type Reply, send } from '../../../features/support/far-end.ts';
import { CANARY, http, RequestServer } from './testing/request-server.ts';

t.setTimeout(600_000);

for (const store of STORES)
  t.test(store, { timeout: 600_000 }, async (t) => {
    const requests = await RequestServer.open(store);
    const { far, server } = requests;
    t.teardown(() => requests.close());

    t.test('an answer is data, with any status', async (t) => {
      for (const status of [200, 201, 204, 302, 404, 500]) {
        requests.answering((_seen, response) => {
          const headers = { 'content-type': 'application/json', location: '/other', 'x-a': ['1', '2'] };
          send(response, status, headers, status === 204 ? undefined : '{"a":[1]}');
        });
        const { status: is, output } = await requests.run([http({ url: far.url('/x?y=1') })]);
        t.equal(is, 'succeeded');
        t.match(output, { status, body: status === 204 ? null : { a: [1] }, headers: { 'x-a': '1, 2' } });
        t.match(far.seen, [{ method: 'GET', path: '/x?y=1' }], 'and no redirect is followed');
      }
      t.same(await server.use(Database).read('SELECT run_id FROM runs_logs'), [], 'nothing is logged for it');
    });

    t.test('a nominated status fails the attempt, and says what was answered', async (t) => {
      const body = `${'é'.repeat(150)}${CANARY}-1${'x'.repeat(500)}`;
      requests.answering((seen, response) =>
        send(response, Number(seen.path.slice(1)), { 'content-type': 'text/plain' }, body),
      );
      const cases: [number, Record<string, Json>, boolean][] = [
        [503, { retry_on: [503] }, true],
        [200, { retry_on: [200] }, true],
        [404, { retry_on: [503] }, false],
        [404, { fail_on_error_status: true }, true],
        [599, { fail_on_error_status: true }, true],
        [302, { fail_on_error_status: true }, false],
        [302, { fail_on_error_status: true, retry_on: [302] }, true],
        [500, { fail_on_error_status: false }, false],
      ];
      for (const [status, config, fails] of cases) {
        const url = far.url(`/${status}`);
        const { status: is, error } = await requests.run([http({ url, credential: 'bot', ...config })]);
        t.equal(is, fails ? 'failed' : 'succeeded', `${status} ${JSON.stringify(config)}`);
        if (!fails) continue;
        t.equal(error!.code, 'request_failed');
        const [, excerpt] = error!.message.split(`${url} answered ${status}: `);
        t.equal(excerpt, `${'é'.repeat(150)}***${'x'.repeat(47)}`, 'masked first, then cut to 200 characters');
      }
      requests.answering((_seen, response) => send(response, 500));
      const { error } = await requests.run([
        http({ url: far.url('/{credential}'), credential: 'hole', fail_on_error_status: true }),
      ]);
      t.equal(
        error!.message,
        `node call: ${far.url('/{credential}')} answered 500`,
        'with the hole, and without a body',
      );
      t.same(await tablesWith(server.use(Database), CANARY), []);
    });

    t.test('a failed attempt is made again with the same key, not before Retry-After', async (t) => {
      const at: number[] = [];
      requests.answering((_seen, response, nth) => {
        at.push(performance.now());
        if (nth === 1) send(response, 429, { 'retry-after': '1' }, 'slow down');
        else if (nth === 2) response.destroy();
        else response.end('done');
      });
      const node = http(
        { url: far.url(), method: 'POST', body: { n: 1 }, retry_on: [429] },
        { retry: { attempts: 3, backoff_ms: 1 } },
      );
      t.match(await requests.run([node]), { status: 'succeeded', output: { status: 200, body: 'done' } });
      t.ok(at[1]! - at[0]! >= 990, `the second came ${at[1]! - at[0]!} ms after the first`);
      const keys = far.seen.map(({ headers }) => headers['idempotency-key']);
      t.match(keys, [/^run_\w+~call$/, keys[0], keys[0]]);
      t.match(far.seen, [{ body: '{"n":1}', headers: { 'content-type': 'application/json' } }]);
    });

    t.test('no usable answer fails the attempt, each time with its reason', async (t) => {
      const big = Buffer.alloc(3 * 1024 * 1024, 'x');
      const replies: [Reply, RegExp, string?][] = [
        [(_seen, response) => response.destroy(), /the connection broke/],
        [
          (_seen, response) => {
            response.writeHead(200, { 'content-length': 100 });
            response.write('x', () => response.destroy());
          },
          /broke/,
        ],
        [(_seen, { socket }) => void socket!.end('HTTP/1.1 200 OK\r\nbad header\r\n\r\n'), /not valid HTTP/],
        [(_seen, { socket }) => void socket!.end('hello\r\n'), /not valid HTTP/],
        [() => undefined, /no response within 300 ms/],
        [(_seen, response) => void response.write('x'), /no response within 300 ms/],
        [(_seen, response) => send(response, 200, { 'content-encoding': 'gzip' }, 'x'), /decompressed/],
        [(_seen, response) => response.end(big), /answered 200 with more than 2097152 bytes/, 'answer_too_large'],
      ];
      for (const [reply, message, code = 'egress_failed'] of replies) {
        requests.answering(reply);
        const { error } = await requests.run([
          http({ url: far.url('/a'), ...(message.source.includes('300') && { timeout: '300ms' }) }),
        ]);
        t.match(error, { code, message }, String(message));
      }
      requests.answering((_seen, response) => send(response, 500, {}, big));
      const { error } = await requests.run([http({ url: far.url('/a'), retry_on: [500] })]);
      t.match(error, { code: 'request_failed', message: /answered 500: x{200}$/ }, 'a nominated status says so first');
      requests.answering((_seen, response) => response.end());
      t.match((await requests.run([http({ url: 'http://10.0.0.1/x' })])).error, { code: 'egress_refused' });
      t.match((await requests.run([http({ url: 'http://127.0.0.1:1/x' })])).error, {
        code: 'egress_failed',
        message: /refused/,
      });
    });

    t.test('bodies of answers', async (t) => {
      const bodies: [string | undefined, Buffer | string, Json][] = [
        ['application/json; charset=utf-8', '{"a":"é"}', { a: 'é' }],
        ['application/problem+json', '[1]', [1]],
        ['application/json', '{broken', '{broken'],
        ['application/json', '['.repeat(200) + ']'.repeat(200), '['.repeat(200) + ']'.repeat(200)],
        ['application/json', '', null],
        ['text/plain', 'é', 'é'],
        ['text/plain; charset=iso-8859-1', Buffer.from([0xe9]), 'é'],
        ['text/html', Buffer.from([0xe9]), 'é'],
        ['text/plain; charset=nobody-knows', 'é', 'é'],
        [undefined, '{"a":1}', '{"a":1}'],
        ['image/png', Buffer.from([0x89, 0x50, 0xff]), { base64: 'iVD/' }],
      ];
      for (const [type, bytes, body] of bodies) {
        requests.answering((_seen, response) => send(response, 200, type ? { 'content-type': type } : {}, bytes));
        t.same(
          ((await requests.run([http({ url: far.url() })])).output as { body: Json }).body,
          body,
          `${type} ${String(bytes).slice(0, 20)}`,
        );
      }
      requests.answering((_seen, response) => response.end());
      t.match((await requests.run([http({ url: far.url(), method: 'HEAD' })])).output, { status: 200, body: null });
    });
  });
