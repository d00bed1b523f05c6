import assert from 'node:assert/strict';
import { Then, When } from '@cucumber/cucumber';
import { assertStatus, specOnly } from '../support/contract.ts';
import type { SvcWorld } from '../support/world.ts';
import { asText, assertMatches } from '../support/text.ts';
import { at } from './cli.ts';

When('I send {string} to {string}', async function (this: SvcWorld, method: string, path: string) {
  await this.request(method, this.expand(path));
});

When('I send {string} to {string} with:', async function (this: SvcWorld, method: string, path: string, body: string) {
  await this.request(method, this.expand(path), this.expand(body));
});

When(
  'I send {string} to {string} with the token {string}',
  async function (this: SvcWorld, method: string, path: string, token: string) {
    await this.request(method, this.expand(path), undefined, { authorization: `Bearer ${this.expand(token)}` });
  },
);

/** The answer is looked at by a later step; meanwhile the scenario goes on. */
When('I begin to send {string} to {string}', function (this: SvcWorld, method: string, path: string) {
  this.begin(method, this.expand(path));
});

When(
  'I begin to send {string} to {string} with:',
  function (this: SvcWorld, method: string, path: string, body: string) {
    this.begin(method, this.expand(path), this.expand(body));
  },
);

Then('that request is answered with {int}', async function (this: SvcWorld, status: number) {
  assert.ok(this.begun, 'a request was begun');
  this.answer = Object.assign(await this.begun, { checked: true });
  assertStatus(this.tags, this.answer.status, status, this.answer.text);
});

Then('the answer is {int}', function (this: SvcWorld, status: number) {
  assert.ok(this.answer, 'a request was sent');
  this.answer.checked = true;
  assertStatus(this.tags, this.answer.status, status, this.answer.text);
});

/** The code, and the form of the refusal, are the contract's. */
Then('the answer is {int} with code {string}', function (this: SvcWorld, status: number, code: string) {
  assert.ok(this.answer, 'a request was sent');
  this.answer.checked = true;
  assertStatus(this.tags, this.answer.status, status, this.answer.text);
  if (specOnly()) return;
  assert.equal(this.answer.headers.get('content-type')?.split(';')[0], 'application/problem+json');
  const problem = this.answer.json() as Record<string, unknown>;
  assert.equal(problem.code, code, this.answer.text);
  for (const member of ['type', 'title', 'status', 'detail', 'request_id'])
    assert.ok(member in problem, `the problem lacks ${member}`);
});

Then('{string} of the answer is {string}', function (this: SvcWorld, path: string, value: string) {
  const found = at(this.answer?.json(), path);
  assert.ok(found !== undefined, `${path} is not in ${this.answer?.text}`);
  assert.equal(asText(found), this.expand(value), this.answer?.text);
});

Then('{string} of the answer matches {string}', function (this: SvcWorld, path: string, pattern: string) {
  assertMatches(at(this.answer?.json(), path), this.expand(pattern));
});

Then('{string} of the answer is noted as {string}', function (this: SvcWorld, path: string, name: string) {
  const found = at(this.answer?.json(), path);
  assert.equal(typeof found, 'string', this.answer?.text);
  this.notes.set(name, found as string);
});

Then('the header {string} of the answer is {string}', function (this: SvcWorld, header: string, value: string) {
  assert.equal(this.answer?.headers.get(header), this.expand(value));
});
