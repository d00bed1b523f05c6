import t from 'tap';
import { createMaskers } from '../../../../test/kit/index.ts';
import { validateConfig, toRequest } from './config.ts';
import { toFailure } from './failure.ts';
import { retryAfter } from '../../../platform/egress/contract.ts';
import { validateUrl, withQuery, withToken } from './url.ts';

t.test('Retry-After is seconds or a date', async (t) => {
  const now = Date.parse('2026-01-31T12:00:00Z');
  const cases: [string | undefined, number | undefined][] = [
    [undefined, undefined],
    ['0', 0],
    [' 120 ', 120_000],
    ['Sat, 31 Jan 2026 12:00:30 GMT', 30_000],
    ['Saturday, 31-Jan-26 12:00:30 GMT', 30_000],
    ['Sat, 31 Jan 2026 11:00:00 GMT', 0],
    ['-1', undefined],
    ['1.5', undefined],
    ['soon', undefined],
    ['2026', 2_026_000],
    ['9'.repeat(30), undefined],
  ];
  for (const [value, wanted] of cases) t.equal(retryAfter(value, now), wanted, String(value));
});

t.test('a token is put where its place is', async (t) => {
  const cases: [string, string, string][] = [
    ['https://a.example/bot{credential}/send', '12:ab', 'https://a.example/bot12:ab/send'],
    ['https://a.example/{credential}', 'T0/B0/xyz', 'https://a.example/T0/B0/xyz'],
    ['https://a.example/{credential}/x', 'a?b#c\\d%2F', 'https://a.example/a%3Fb%23c%5Cd%2F/x'],
    ['https://a.example/{credential}?t={credential}&u=1', 'a&b/c', 'https://a.example/a&b/c?t=a%26b%2Fc&u=1'],
    ['https://a.example/{credential}', '$&$1', 'https://a.example/$&$1'],
  ];
  for (const [url, token, wanted] of cases) t.equal(withToken(url, token), wanted, url);
  t.equal(validateUrl('https://a.example/{credential}?{credential}'), undefined);
  for (const url of [
    'https://{credential}/',
    'https://a.{credential}/',
    'https://a.example:{credential}/',
    '{credential}',
  ])
    t.ok(validateUrl(url), url);
});

t.test('members of the query join those of the URL', async (t) => {
  t.equal(withQuery('https://a.example/'), 'https://a.example/');
  t.equal(withQuery('https://a.example/?', { a: 1 }), 'https://a.example/?a=1');
  t.equal(withQuery('https://a.example/?b=2&', { a: true }), 'https://a.example/?b=2&a=true');
  t.equal(
    withQuery('https://a.example/?b=2#f', { a: [], b: null, 'c d': ['x y', 'é'] }),
    'https://a.example/?b=2&c+d=x+y&c+d=%C3%A9',
  );
});

t.test('a secret that the cut of a message would divide is masked', async (t) => {
  const secret = 'canary-0123456789';
  const masker = createMaskers().masker([secret]);
  const text = `${'🎈'.repeat(190)}${secret}${'z'.repeat(50)}`;
  for (const body of [Buffer.from(text), Buffer.from(text + 'x'.repeat(500_000))]) {
    const answer = { status: 500, headers: {}, body };
    const failure = toFailure({ method: 'GET', url: 'http://a/', retry_on: [500] }, answer, { masker, now: 0 });
    t.equal(failure!.message, `http://a/ answered 500: ${'🎈'.repeat(190)}***${'z'.repeat(7)}`);
  }
});

t.test('a config that is not rendered is checked as far as it is known', async (t) => {
  const expr = { $expr: 'input.x' };
  const fine: Parameters<typeof validateConfig>[0][] = [
    { url: expr },
    { url: 'https://a.example/{credential}', credential: expr },
    { url: 'https://a.example/', headers: { a: expr, b: '1' }, body: { x: [expr] }, encoding: 'form' },
    { url: 'https://a.example/', headers: expr, timeout: expr, method: expr, body: 'x' },
  ];
  for (const config of fine) t.same(validateConfig(config), [], JSON.stringify(config));
  const faults: [Parameters<typeof validateConfig>[0], string][] = [
    [{ url: 'https://a.example/{credential}' }, '/credential'],
    [{ url: 'https://a.example/', headers: { a: expr, Host: 'b' } }, '/headers/Host'],
    [{ url: 'https://a.example/', body: { a: { b: 1 } }, encoding: 'form' }, '/body'],
    [{ url: 'https://a.example/', timeout: '0ms' }, '/timeout'],
  ];
  for (const [config, pointer] of faults) t.match(validateConfig(config), [{ pointer }], JSON.stringify(config));
  t.throws(() => toRequest({ url: 1 }), {
    code: 'request_invalid',
    extras: { errors: [{ pointer: '/url' }], final: true },
  });
});
