import t, { type Test } from 'tap';
import { type Clock, Errors, type Upgrade } from '../../../kernel/contracts/index.ts';
import { CallerRates, createDeliveryRates, FailedAttempts, Meter, networkOf } from './caller-rates.ts';
import { createMetrics } from './metrics.ts';
import { type RateLimits, readRateLimits } from './rate-limits.ts';
import { ADA, ask, assemble, route, sendRaw } from './testing/test-server.ts';

function testClock(): Clock & { advance(ms: number): void } {
  let now = 5;
  return {
    now: () => now,
    monotonic: () => now,
    after: () => () => undefined,
    advance: (ms) => {
      now += ms;
    },
  };
}

t.test('a bucket holds its count, refills evenly and forgets nothing that is owed', async (t) => {
  const clock = testClock();
  const meter = new Meter({ count: 3, per_ms: 1000 }, clock);
  t.same(
    [1, 2, 3].map(() => meter.tryAcquire('a')),
    [0, 0, 0],
  );
  const wait = meter.tryAcquire('a');
  t.ok(wait > 333 && wait < 334, `${wait}`);
  t.equal(meter.tryAcquire('b'), 0, 'each key has its own');
  clock.advance(wait);
  t.equal(meter.tryAcquire('a'), 0);
  t.ok(meter.tryAcquire('a') > 0, 'one came back and no more');
  clock.advance(100_000);
  t.same(
    [1, 2, 3].map(() => meter.tryAcquire('a')),
    [0, 0, 0],
    'a full bucket does not run over',
  );
  t.ok(meter.wait('a') > 0);
  for (let i = 0; i < 7; i += 1) meter.charge('a');
  t.ok(meter.wait('a') > 2600, 'charges beyond the bound are owed');
});

t.test('over an hour exactly the rate passes, whatever the pace', async (t) => {
  const clock = testClock();
  const meter = new Meter({ count: 600, per_ms: 60_000 }, clock);
  let passed = 0;
  for (let ms = 0; ms < 3_600_000; ms += 37) {
    if (meter.tryAcquire('a') === 0) passed += 1;
    clock.advance(37);
  }
  t.ok(Math.abs(passed - 36_600) <= 1, `${passed}: a burst of 600, then 10 a second`);
});

t.test('a flood of keys does not grow the memory', async (t) => {
  const meter = new Meter({ count: 1, per_ms: 1000 }, testClock());
  for (let i = 0; i < 50_000; i += 1) meter.tryAcquire(`key ${i}`);
  t.equal(meter.size, 20_000);
  t.ok(meter.wait('key 49999') > 0, 'the latest are kept');
});

const rates = (limits: RateLimits, clock = testClock()) => new CallerRates(limits, clock, createMetrics());
const wrong = () => Promise.reject(Errors.notAuthenticated('not known'));

t.test('failures count for an address, and never against a token that is found', async (t) => {
  const clock = testClock();
  const one = rates({ failed: { count: 2, per_ms: 1000 } }, clock);
  const guess = (address: string, text: string) => one.authenticate(address, text, wrong);
  for (const text of ['a', 'b']) await t.rejects(guess('10.0.0.1', text), { code: 'not_authenticated' });
  for (const text of ['c', 'd']) await t.rejects(guess('10.0.0.1', text), { code: 'rate_limited' });
  const found = () => one.authenticate('10.0.0.1', 'Bearer good', async () => 'me');
  t.equal(await found(), 'me', 'a neighbour at the same address has guessed');
  await t.rejects(guess('10.0.0.2', 'c'), { code: 'not_authenticated' }, 'other addresses are not concerned');
  clock.advance(501);
  await t.rejects(guess('10.0.0.1', 'e'), { code: 'not_authenticated' });
});

t.test('failures count for tokens that begin alike, from however many addresses', async (t) => {
  const one = rates({ failed: { count: 2, per_ms: 1000 } });
  const guess = (last: number, text: string) => one.authenticate(`10.0.0.${last}`, text, wrong);
  await t.rejects(guess(1, 'Bearer svc_pat_abcd1'), { code: 'not_authenticated' });
  await t.rejects(guess(2, 'bearer  svc_pat_abcd2'), { code: 'not_authenticated' });
  await t.rejects(guess(3, 'Bearer svc_pat_abcd3'), { code: 'rate_limited' });
  await t.rejects(guess(4, 'Bearer svc_pat_abce'), { code: 'not_authenticated' });
  t.equal(await one.authenticate('10.0.0.5', 'Bearer svc_pat_abcd4', async () => 'me'), 'me');
});

t.test('faults and absent headers are no guesses', async (t) => {
  const clock = testClock();
  const one = rates({ failed: { count: 2, per_ms: 1000 } }, clock);
  for (let i = 0; i < 5; i += 1) {
    await t.rejects(one.authenticate('10.0.0.1', undefined, wrong), { code: 'not_authenticated' });
    await t.rejects(one.authenticate('10.0.0.1', 'x', () => Promise.reject(Errors.unavailable('down'))));
  }
  for (const code of ['not_authenticated', 'not_authenticated', 'rate_limited'])
    await t.rejects(one.authenticate('10.0.0.1', 'x', wrong), { code });
});

t.test('an IPv6 caller is its /64; a Unix socket has no address', async (t) => {
  t.equal(networkOf('192.0.2.1'), '192.0.2.1');
  t.equal(networkOf('2001:db8::1'), '2001:db8:0:0::/64');
  t.equal(networkOf('2001:db8:0:0:ffff::1'), networkOf('2001:db8::2'));
  t.not(networkOf('2001:db8:0:1::1'), networkOf('2001:db8::1'));
  t.equal(networkOf('2001:0db8:0000:0001:2:3:4:5'), '2001:db8:0:1::/64');
  t.equal(networkOf('::1'), '0:0:0:0::/64');
  t.equal(networkOf('fe80::1%eth0'), 'fe80:0:0:0::/64');
  const one = rates({ address: { count: 1, per_ms: 1000 }, failed: { count: 1, per_ms: 1000 } });
  for (let i = 0; i < 5; i += 1) {
    one.request('');
    await t.rejects(one.authenticate('', 'x', wrong), { code: 'not_authenticated' });
  }
});

t.test('the setting: defaults, single ones, off, and what is not understood', async (t) => {
  const minute = (count: number) => ({ count, per_ms: 60_000 });
  const all = { token: minute(60_000), address: minute(120_000), failed: minute(60), delivery: minute(12_000) };
  t.same(readRateLimits(undefined), all);
  t.same(readRateLimits(''), all);
  t.same(readRateLimits('off'), {});
  t.same(readRateLimits('token=600/m'), { ...all, token: minute(600) });
  t.same(readRateLimits('token=5/s, address=off,failed=9/h'), {
    token: { count: 5, per_ms: 1000 },
    failed: { count: 9, per_ms: 3_600_000 },
    delivery: all.delivery,
  });
  const bad = ['on', 'token', 'token=', 'token=0/m', 'token=-1/m', 'token=1/d', 'token=1', 'token=1/m=2', 'Token=1/m'];
  for (const text of [
    ...bad,
    'token=1/m,',
    'token=1/m,token=2/m',
    'token=1e3/m',
    'constructor=1/m',
    'token=9999999999/m',
  ])
    t.throws(() => readRateLimits(text), { code: 'setting_invalid', message: /SVC_RATE_LIMIT/ }, text);
});

t.test('deliveries to one address have a limit of their own', async (t) => {
  const clock = testClock();
  const metrics = createMetrics();
  const failed = new FailedAttempts({ count: 2, per_ms: 1000 }, clock, metrics);
  const rates = createDeliveryRates({ count: 2, per_ms: 1000 }, clock, metrics, failed);
  rates.count('hook_1');
  rates.count('hook_1');
  rates.count('hook_2');
  t.throws(() => rates.count('hook_1'), { code: 'rate_limited', extras: { retryAfterMs: 500 } });
  clock.advance(500);
  rates.count('hook_1');
  t.match((await metrics.render()).text, /svc_http_rate_limited_total\{limit="delivery"\} 1/);
  rates.countFailure('10.0.0.1', 'hook_1');
  rates.countFailure('', 'hook_3');
  const tokens = new CallerRates({ failed: { count: 2, per_ms: 1000 } }, clock, metrics, failed);
  t.equal(rates.hasManyFailures('10.0.0.1'), false);
  await t.rejects(tokens.authenticate('10.0.0.1', 'x', wrong), { code: 'not_authenticated' }, 'the second failure');
  t.equal(rates.hasManyFailures('10.0.0.1'), true);
  t.throws(() => rates.countFailure('10.0.0.1', 'hook_2'), { code: 'rate_limited' }, 'the third of this address');
  rates.countFailure('10.0.0.2', 'hook_1');
  t.throws(() => rates.countFailure('10.0.0.3', 'hook_1'), { code: 'rate_limited' }, 'the third for this hook');
  const none = new FailedAttempts(undefined, clock, metrics);
  const free = createDeliveryRates(undefined, clock, createMetrics(), none);
  for (let count = 0; count < 100; count++) {
    free.count('hook_1');
    free.countFailure('10.0.0.1', 'hook_1');
  }
  t.equal(free.hasManyFailures('10.0.0.1'), false);
});

const opened = { access: { kind: 'user' } as const };

async function serve(t: Test, rates: RateLimits) {
  const routes = [
    route({ path: '/free' }),
    route({ path: '/mine', ...opened }),
    route({ path: '/probe', unmetered: true }),
  ];
  const { http } = assemble({ routes, rates });
  await http.listen();
  t.teardown(() => http.close(1000));
  return http.base_url();
}

t.test('over HTTP: 429 with Retry-After and the code, by token and by address; probes pass', async (t) => {
  const url = await serve(t, { token: { count: 2, per_ms: 60_000 } });
  for (const status of [200, 200, 429]) t.equal((await ask(url, '/mine', { headers: ADA })).status, status);
  const refused = await ask(url, '/mine', { headers: ADA });
  t.match(refused.json, { code: 'rate_limited', status: 429, detail: /token/ });
  const after = Number(refused.headers['retry-after']);
  t.ok(after >= 1 && after <= 30, `${after}`);
  t.equal((await ask(url, '/free')).status, 200, 'only the token is limited');
  const other = await serve(t, { address: { count: 3, per_ms: 60_000 } });
  for (const status of [200, 200, 200, 429]) t.equal((await ask(other, '/free')).status, status);
  t.equal((await ask(other, '/mine', { headers: ADA })).status, 429);
  for (const path of ['/probe', '/healthz', '/readyz', '/metrics'])
    for (let i = 0; i < 3; i += 1) t.equal((await ask(other, path)).status, 200, path);
  t.match((await ask(other, '/metrics')).text, /svc_http_rate_limited_total\{limit="address"\} 2/);
});

t.test('over HTTP: tokens cannot be guessed', async (t) => {
  const url = await serve(t, { failed: { count: 3, per_ms: 60_000 } });
  const guess = (text: string) => ask(url, '/mine', { headers: { authorization: `Bearer svc_pat_${text}` } });
  for (const status of [401, 401, 401, 429, 429]) t.equal((await guess('wrong')).status, status);
  t.equal((await guess('ada')).status, 200, 'whoever holds a token is not concerned');
  t.equal((await ask(url, '/free')).status, 200);
});

t.test('over WebSocket: agents are not counted, but their tokens cannot be guessed either', async (t) => {
  const limits = { address: { count: 1, per_ms: 60_000 }, failed: { count: 2, per_ms: 60_000 } };
  const upgrade: Upgrade = {
    path: '/ws',
    access: { kind: 'agent' },
    accept: (_request, socket) => socket.end('taken'),
  };
  const { http } = assemble({ upgrades: [upgrade], rates: limits });
  await http.listen();
  t.teardown(() => http.close(1000));
  const connect = (token: string) => {
    const head = ['GET /ws HTTP/1.1', 'Host: x', 'Connection: Upgrade', 'Upgrade: websocket'];
    return sendRaw(http.base_url(), `${[...head, `Authorization: Bearer ${token}`].join('\r\n')}\r\n\r\n`);
  };
  for (let i = 0; i < 3; i += 1) t.equal(await connect('svc_agt_one'), 'taken');
  for (const status of [401, 401, 429]) t.match(await connect('svc_agt_two'), new RegExp(`^HTTP/1.1 ${status} `));
  t.match(await connect('svc_agt_three'), /Retry-After: \d+/);
  t.equal(await connect('svc_agt_one'), 'taken');
});
