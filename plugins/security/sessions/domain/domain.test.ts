import t from 'tap';
import { browserOf } from './browser.ts';
import { csrfOf, isCsrf, makeCookie, readCookie } from './cookie.ts';
import { checkCookie, type PresentedCookie } from './check-cookie.ts';
import { GRACE_MS, IDLE_MS, RENEW_MS } from './lifetimes.ts';
import { checkReadOrigin, checkWriteOrigin } from './origin.ts';

const NOW = 1_000_000_000;
const row = (changes: Partial<PresentedCookie>): PresentedCookie => ({
  ...{ expires_at: NOW + 1, last_seen_at: NOW, family: 'Firefox' },
  ...{ generation: 1, generation_at: NOW, seen: 1, seen_at: NOW, issued: 1, issued_at: NOW },
  ...changes,
});
const verdict = (changes: Partial<PresentedCookie>) => checkCookie(row(changes), 'Firefox', NOW);

t.test('what a presented cookie shows', async (t) => {
  t.same(verdict({}), { state: 'good', first: false, touch: false, renew: false });
  t.match(verdict({ expires_at: NOW }), { state: 'over' });
  t.match(verdict({ last_seen_at: NOW - IDLE_MS }), { state: 'over' });
  t.match(checkCookie(row({}), 'Chrome', NOW), { state: 'stolen', why: /Chrome/ });
  t.match(verdict({ last_seen_at: NOW - GRACE_MS }), { touch: true });

  const old = { generation: 1, generation_at: NOW - RENEW_MS };
  t.match(verdict(old), { renew: true });
  t.match(verdict({ ...old, issued: 2, issued_at: NOW }), { renew: false }, 'its successor is on the way');
  t.match(verdict({ ...old, issued: 2, issued_at: NOW - GRACE_MS - 1 }), { renew: true }, 'that answer was lost');
  t.match(verdict({ ...old, seen: 2, seen_at: NOW - GRACE_MS }), { state: 'good', renew: false }, 'under way');
  t.match(verdict({ ...old, seen: 2, seen_at: NOW - GRACE_MS - 1 }), { state: 'stolen' });
  t.match(verdict({ generation: 3, seen: 1, issued: 3 }), { state: 'good', first: true, touch: true });
});

t.test('names of browsers hold nothing of the header but digits', async (t) => {
  const label = (text?: string) => browserOf(text).label;
  t.equal(label('Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'), 'Firefox 140 on Linux');
  const chrome = 'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36';
  t.equal(label(chrome), 'Chrome 138 on Windows');
  t.equal(label(`${chrome} Edg/138.0.1`), 'Edge 138 on Windows');
  t.equal(label(chrome.replace('Chrome', 'HeadlessChrome')), 'Chrome 138 on Windows');
  const safari =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1';
  t.equal(label(safari), 'Safari 18 on iOS');
  t.equal(label('<img src=x> "Linux"'), 'another browser on Linux');
  t.equal(label(undefined), 'another browser');
  t.equal(browserOf(chrome.replace('138', '139')).family, browserOf(chrome).family, 'a newer version is the same one');
});

t.test('the CSRF token is that of every cookie of a session, and of no other', async (t) => {
  let count = 0;
  const bytes = (size: number) => Buffer.alloc(size, (count += 1));
  const first = makeCookie(bytes);
  const next = makeCookie(bytes, first.lasting);
  t.not(first.full_value, next.full_value);
  t.equal(csrfOf(first), csrfOf(next));
  t.ok(isCsrf(csrfOf(first), next));
  for (const wrong of [undefined, '', 'x', csrfOf(makeCookie(bytes)), `${csrfOf(first)} `])
    t.notOk(isCsrf(wrong, first));
  t.same(readCookie(next.full_value), next);
  for (const wrong of [undefined, '', first.lasting, `${next.full_value}x`, `${next.full_value}\n`])
    t.equal(readCookie(wrong), undefined);
});

t.test('which origins are ours', async (t) => {
  const write = (headers: Record<string, string>) => checkWriteOrigin(headers, 'https://svc.example/x');
  t.equal(write({}), undefined, 'no browser');
  t.equal(write({ origin: 'https://svc.example', host: 'inner:80', 'sec-fetch-site': 'same-origin' }), undefined);
  t.equal(write({ origin: 'http://localhost:8787', host: 'localhost:8787' }), undefined);
  for (const origin of [
    'https://evil.example',
    'null',
    'http://localhost:8788',
    'https://svc.example.evil.example',
    '',
  ])
    t.match(write({ origin, host: 'localhost:8787' }), /Origin/, origin);
  for (const site of ['cross-site', 'same-site', 'none', 'x'])
    t.match(write({ 'sec-fetch-site': site }), /Sec-Fetch-Site/);
  for (const site of ['same-origin', 'none']) t.equal(checkReadOrigin({ 'sec-fetch-site': site }), undefined);
  for (const site of ['cross-site', 'same-site'])
    t.match(checkReadOrigin({ 'sec-fetch-site': site }), /another origin/);
});
