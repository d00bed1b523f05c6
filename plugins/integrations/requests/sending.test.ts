import t from 'tap';
import { Database } from '../../../kernel/contracts/index.ts';
import { STORES, tablesWith } from '../../../test/kit/index.ts';
import type { Json } from '../../engine/runs/contract.ts';
import { send } from '../../../features/support/far-end.ts';
import { CANARY, http, RequestServer } from './testing/request-server.ts';

t.setTimeout(600_000);

for (const store of STORES)
  t.test(store, { timeout: 600_000 }, async (t) => {
    const requests = await RequestServer.open(store);
    const { far, server } = requests;
    t.teardown(() => requests.close());

    t.test('each kind of credential is put where it belongs', async (t) => {
      requests.answering((_seen, response) => response.end('{}'));
      const cases: [Record<string, Json>, Record<string, string>, string][] = [
        [{ credential: 'bot' }, { authorization: `Bearer ${CANARY}-1` }, '/p'],
        [{ credential: 'key' }, { 'x-api-key': `${CANARY}-2` }, '/p'],
        [{ credential: 'pair' }, { authorization: `Basic ${Buffer.from(`ci:${CANARY}-3`).toString('base64')}` }, '/p'],
        [
          { credential: 'hole', url: far.url('/bot{credential}/send?t={credential}') },
          {},
          `/bot12:${CANARY}/4%23/send?t=12%3A${CANARY}%2F4%23`,
        ],
        [{ credential: 'bot', headers: { AUTHORIZATION: 'mine' } }, { authorization: 'mine' }, '/p'],
        [{ credential: 'key', headers: { 'x-api-key': 'mine' } }, { 'x-api-key': 'mine' }, '/p'],
      ];
      for (const [config, headers, path] of cases) {
        far.seen.length = 0;
        t.match(await requests.run([http({ url: far.url('/p'), ...config })]), { status: 'succeeded' });
        t.match(far.seen, [{ path, headers }], JSON.stringify(config));
      }
      t.same(await tablesWith(server.use(Database), CANARY), [], 'no table holds a value');
    });

    t.test('what is sent', async (t) => {
      requests.answering((_seen, response) => response.end());
      const cases: [Record<string, Json>, object][] = [
        [{ body: 'text' }, { method: 'POST', body: 'text', headers: { 'content-type': 'text/plain; charset=utf-8' } }],
        [
          { method: 'PUT', body: [1, null] },
          { method: 'PUT', body: '[1,null]' },
        ],
        [
          { body: 'text', encoding: 'json' },
          { body: '"text"', headers: { 'content-type': 'application/json' } },
        ],
        [
          { body: { a: 'x y', b: [1, true], c: null }, encoding: 'form' },
          { body: 'a=x+y&b=1&b=true', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
        ],
        [{ url: far.url('/p?a=1#f'), query: { b: 'x&y', c: [1, 2], d: null } }, { path: '/p?a=1&b=x%26y&c=1&c=2' }],
        [{ url: far.url('/{b}'), query: { b: '{credential}' } }, { path: '/%7Bb%7D?b=%7Bcredential%7D' }],
        [
          { body: {}, headers: { 'Content-Type': 'application/x', 'X-N': 1, 'X-None': null } },
          { headers: { 'content-type': 'application/x', 'x-n': '1', 'x-none': undefined } },
        ],
        [{ body: {}, headers: { 'idempotency-key': 'mine' } }, { headers: { 'idempotency-key': 'mine' } }],
        [
          {},
          {
            method: 'GET',
            headers: { 'idempotency-key': undefined, 'content-type': undefined, 'user-agent': /^svc\// },
          },
        ],
      ];
      for (const [config, seen] of cases) {
        far.seen.length = 0;
        t.match(await requests.run([http({ url: far.url('/p'), ...config })]), { status: 'succeeded' });
        t.match(far.seen, [seen], JSON.stringify(config));
      }
    });

    t.test('what cannot be sent is refused before anything is sent, and not tried again', async (t) => {
      requests.answering((_seen, response) => response.end());
      const url = far.url('/p');
      const cases: [Record<string, Json>, string, RegExp][] = [
        [{}, 'request_invalid', /\/url is required/],
        [{ url: 'x' }, 'request_invalid', /\/url is not a complete URL/],
        [{ url: 'ftp://a/b' }, 'request_invalid', /http/],
        [{ url: 'http://u:p@127.0.0.1/' }, 'request_invalid', /credential/],
        [{ url: 'http://{credential}.example.org/', credential: 'hole' }, 'request_invalid', /path or query/],
        [{ url: `${url}{credential}` }, 'request_invalid', /\/credential is required/],
        [{ url, method: 'TRACE' }, 'request_invalid', /\/method/],
        [{ url, nobody: 1 }, 'request_invalid', /\/nobody is not a known member/],
        [{ url, headers: { Host: 'x' } }, 'request_invalid', /\/headers\/Host is set by the service/],
        [{ url, headers: { 'a b': 'x' } }, 'request_invalid', /\/headers\/a b/],
        [{ url, headers: { a: 'x\r\ny: z' } }, 'request_invalid', /line break/],
        [{ url, headers: { a: '✓' } }, 'request_invalid', /Latin-1/],
        [{ url, headers: { a: '1', A: '2' } }, 'request_invalid', /twice/],
        [{ url, headers: { a: ['1'] } }, 'request_invalid', /\/headers\/a/],
        [{ url, method: 'HEAD', body: 'x' }, 'request_invalid', /\/body/],
        [{ url, body: [1], encoding: 'form' }, 'request_invalid', /\/body/],
        [{ url, body: { a: 1 }, encoding: 'text' }, 'request_invalid', /\/body/],
        [{ url, retry_on: [42] }, 'request_invalid', /\/retry_on\/0/],
        [{ url, timeout: '2h' }, 'request_invalid', /\/timeout/],
        [{ url, timeout: 'soon' }, 'request_invalid', /\/timeout/],
        [{ url, credential: 'nobody' }, 'credential_missing', /node call: .*nobody/],
        [{ url, credential: { $expr: '"no" + "body"' } }, 'credential_missing', /nobody/],
        [{ url, credential: 'hole' }, 'credential_wrong_kind', /url_token.*bearer, api_key, basic/],
        [{ url: `${url}{credential}`, credential: 'bot' }, 'credential_wrong_kind', /bearer.*url_token/],
      ];
      for (const [config, code, message] of cases) {
        const node = http(config, { retry: { attempts: 5, backoff_ms: 60_000 } });
        t.match((await requests.run([node])).error, { code, message }, JSON.stringify(config).slice(0, 80));
      }
      t.match((await requests.run([http({ url, credential: 'bot' })], { trusted: false })).error, {
        code: 'untrusted_run_declares_credential',
        message: /bot/,
      });
      t.equal(far.seen.length, 0);
      t.match(
        await requests.run([http({ url })], { trusted: false }),
        { status: 'succeeded' },
        'an untrusted run may send a request without',
      );
    });

    t.test('what earlier nodes put out is not stored in the clear with a request', async (t) => {
      requests.answering((_seen, response) =>
        send(response, 200, { 'content-type': 'application/json' }, `{"token":"${CANARY}-session"}`),
      );
      const { status } = await requests.run([
        { id: 'login', type: 'http', config: { url: far.url('/login') } },
        http(
          { url: far.url('/x'), headers: { 'x-session': { $expr: 'nodes.login.output.body.token' } } },
          { needs: ['login'] },
        ),
      ]);
      t.equal(status, 'succeeded');
      t.match(far.seen.at(-1), { headers: { 'x-session': `${CANARY}-session` } });
      t.same(await tablesWith(server.use(Database), CANARY), []);
    });

    t.test('secrets of the project do not reach a request', async (t) => {
      await server.call('admin', `PUT ${server.scoped}/secrets/OTHER`, { value: `${CANARY}-other` });
      requests.answering((_seen, response) => response.end(`${CANARY}-other`));
      t.match(
        await requests.run([http({ url: far.url() })]),
        { output: { body: `${CANARY}-other` } },
        'so they are not masked in it',
      );
    });
  });
