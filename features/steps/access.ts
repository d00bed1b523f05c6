import assert from 'node:assert/strict';
import { Given, Then, When } from '@cucumber/cucumber';
import type { SvcWorld } from '../support/world.ts';
import { at } from './cli.ts';

Given(
  'a member {string} with the role {string} and a token noted as {string}',
  async function (this: SvcWorld, user: string, role: string, note: string) {
    const put = await this.call('PUT', `${this.scoped}/members/${user}`, { role });
    assert.ok(put.status < 300, put.text);
    const wish = { name: `of-${user}`, org: this.target.org, user };
    const made = await this.call('POST', '/api/v1/tokens', wish);
    assert.equal(made.status, 201, made.text);
    this.notes.set(note, (made.json() as { token: string }).token);
  },
);

/** The last answer is the one that is looked at. */
When(
  'I send {string} to {string} {int} times with the token {string}',
  async function (this: SvcWorld, method: string, path: string, times: number, token: string) {
    const headers = { authorization: `Bearer ${this.expand(token)}` };
    for (let n = 0; n < times; n += 1) {
      if (this.answer) this.answer.checked = true;
      await this.request(method, this.expand(path), undefined, headers);
    }
  },
);

Then(
  'standard output is JSON whose {string} is noted as {string}',
  function (this: SvcWorld, path: string, note: string) {
    const found = at(JSON.parse(this.cli?.stdout ?? ''), path);
    assert.equal(typeof found, 'string', this.cli?.stdout);
    this.notes.set(note, found as string);
  },
);

Then('{string} of the headers is noted as {string}', function (this: SvcWorld, header: string, note: string) {
  const found = this.answer?.headers.get(header);
  assert.ok(found, `the answer has no ${header}`);
  this.notes.set(note, found);
});
