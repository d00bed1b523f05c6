import assert from 'node:assert/strict';
import { Then, When } from '@cucumber/cucumber';
import type { SvcWorld } from '../support/world.ts';

interface Page {
  status: number;
  headers: Headers;
  text: string;
}

/** The page that somebody without an account has opened last. */
const pages = new WeakMap<SvcWorld, Page>();

async function open(url: string, init: RequestInit = {}): Promise<Page> {
  const response = await fetch(url, { redirect: 'manual', ...init });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const linkOf = (world: SvcWorld): string => world.notes.get('link') ?? assert.fail('no link was noted');

const form = (body: string): RequestInit => ({
  method: 'POST',
  body,
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
});

function pageOf(world: SvcWorld): Page {
  const page = pages.get(world);
  assert.ok(page, 'a page was opened');
  return page;
}

/** The path alone, because the server may be reached at another address than its public one. */
Then('the link is noted from standard output', function (this: SvcWorld) {
  const [, path = ''] = /https?:\/\/[^/]+(\/answer\/\S+)/.exec(this.cli?.stdout ?? '') ?? [];
  assert.notEqual(path, '', this.cli?.stdout);
  this.notes.set('link', path);
});

When('somebody opens the link with {string}', async function (this: SvcWorld, method: string) {
  pages.set(this, await open(`${this.target.base_url}${linkOf(this)}`, { method }));
});

When('somebody opens the link with its last characters changed', async function (this: SvcWorld) {
  const link = linkOf(this);
  const changed = `${link.slice(0, -6)}${link.endsWith('AAAAAA') ? 'BBBBBB' : 'AAAAAA'}`;
  pages.set(this, await open(`${this.target.base_url}${changed}`));
});

When('somebody opens {string}', async function (this: SvcWorld, path: string) {
  pages.set(this, await open(`${this.target.base_url}${path}`));
});

When('somebody sends the form {string}', async function (this: SvcWorld, body: string) {
  pages.set(this, await open(`${this.target.base_url}${linkOf(this)}`, form(body)));
});

const both = new WeakMap<SvcWorld, number[]>();

When('two people send the form {string} at once', async function (this: SvcWorld, body: string) {
  const url = `${this.target.base_url}${linkOf(this)}`;
  const answers = await Promise.all([open(url, form(body)), open(url, form(body))]);
  both.set(
    this,
    answers.map(({ status }) => status),
  );
});

Then(
  'one of them is answered with {int} and the other with {int}',
  function (this: SvcWorld, one: number, other: number) {
    assert.deepEqual(
      both.get(this)?.toSorted((a, b) => a - b),
      [one, other],
    );
  },
);

Then('the page is {int}', function (this: SvcWorld, status: number) {
  const page = pageOf(this);
  assert.equal(page.status, status, page.text);
});

Then('the page has {string}', function (this: SvcWorld, text: string) {
  const page = pageOf(this);
  assert.ok(page.text.includes(text.replaceAll('\\"', '"')), page.text);
});

Then('the page cannot be stored, found or framed', function (this: SvcWorld) {
  const { headers } = pageOf(this);
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.equal(headers.get('referrer-policy'), 'no-referrer');
  assert.match(headers.get('x-robots-tag') ?? '', /noindex/);
  const policy = headers.get('content-security-policy') ?? '';
  for (const part of ["default-src 'none'", "form-action 'self'", "frame-ancestors 'none'"])
    assert.ok(policy.includes(part), policy);
  assert.ok(!policy.includes('script-src'), policy);
});
