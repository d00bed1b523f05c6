import type { IncomingMessage } from 'node:http';
import t from 'tap';
import { readTrustedProxy } from './client-address.ts';
import { ask, assemble, route } from './testing/test-server.ts';

const from = (remoteAddress: string | undefined, forwarded?: string | string[]) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage;

t.test('what a caller says of itself is not believed', async (t) => {
  for (const setting of [undefined, '', '10.0.0.1', 'unix']) {
    const addressOf = readTrustedProxy(setting);
    t.equal(addressOf(from('192.0.2.1', '203.0.113.9')), '192.0.2.1');
    t.equal(addressOf(from('::ffff:192.0.2.1')), '192.0.2.1');
  }
  t.equal(readTrustedProxy('10.0.0.1')(from(undefined, '203.0.113.9')), '', 'a Unix socket that is not named');
});

t.test('a trusted proxy tells the address: the last one that is no proxy', async (t) => {
  const addressOf = readTrustedProxy('10.0.0.1, 172.16.0.0/12,2001:db8::/32');
  t.equal(addressOf(from('10.0.0.1', '203.0.113.9')), '203.0.113.9');
  t.equal(addressOf(from('::ffff:10.0.0.1', '198.51.100.7, 203.0.113.9,172.20.1.1')), '203.0.113.9');
  t.equal(addressOf(from('10.0.0.1', ['198.51.100.7', '203.0.113.9'])), '203.0.113.9');
  t.equal(addressOf(from('10.0.0.1', '2001:0db8::5, 2001:db9::1')), '2001:db9::1');
  t.equal(addressOf(from('10.0.0.1', '172.16.0.9')), '172.16.0.9', 'a proxy that asks for itself');
  t.equal(addressOf(from('10.0.0.1', 'nonsense')), '10.0.0.1');
  t.equal(
    addressOf(from('10.0.0.1', '203.0.113.9, unknown, 172.16.0.9')),
    '172.16.0.9',
    'what it says is not believed',
  );
  t.equal(addressOf(from('10.0.0.1')), '10.0.0.1');
  t.equal(addressOf(from('10.0.0.1', `203.0.113.9,${'172.16.0.9,'.repeat(100)}172.16.0.9`)), '172.16.0.9');
  t.equal(readTrustedProxy('unix')(from(undefined, '203.0.113.9')), '203.0.113.9');
});

t.test('what the setting may be', async (t) => {
  for (const text of ['all', '10.0.0.0/33', '10.0.0', '10.0.0.1,', '*', 'proxy.example', '10.0.0.0/-1', '1/8'])
    t.throws(() => readTrustedProxy(text), { code: 'setting_invalid', message: /SVC_TRUSTED_PROXY/ }, text);
});

t.test('over HTTP: limits and handlers see the address behind the proxy', async (t) => {
  const seen: string[] = [];
  const routes = [
    route({
      path: '/mine',
      handle: async ({ ip }) => {
        seen.push(ip);
        return { status: 200, json: {} };
      },
    }),
  ];
  const env = { SVC_TRUSTED_PROXY: '127.0.0.1' };
  const { http } = assemble({ routes, rates: { address: { count: 1, per_ms: 60_000 } }, settings: { env } });
  await http.listen();
  t.teardown(() => http.close(1000));
  const as = (address: string) => ask(http.base_url(), '/mine', { headers: { 'x-forwarded-for': address } });
  t.equal((await as('203.0.113.1')).status, 200);
  t.equal((await as('203.0.113.2')).status, 200);
  t.equal((await as('203.0.113.1')).status, 429);
  t.same(seen, ['203.0.113.1', '203.0.113.2']);
});
