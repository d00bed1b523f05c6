import assert from 'node:assert/strict';
import { type DataTable, Then, When } from '@cucumber/cucumber';
import { createParser } from 'eventsource-parser';
import { specOnly } from '../support/contract.ts';
import { until } from '../support/process.ts';
import { packageVersion } from '../support/target.ts';
import { assertMatches } from '../support/text.ts';
import type { SvcWorld } from '../support/world.ts';

interface Followed {
  ids: string[];
  text: string;
  ended: boolean;
}

When(
  'I send {string} to {string} with the header {string} of {string}',
  async function (this: SvcWorld, method: string, path: string, name: string, value: string) {
    await this.request(method, this.expand(path), undefined, { [name]: value });
  },
);

When('I send {string} to {string} without a token', async function (this: SvcWorld, method: string, path: string) {
  await this.request(method, this.expand(path), undefined, { authorization: '' });
});

When(
  'I send {string} to {string} as {string} with:',
  async function (this: SvcWorld, method: string, path: string, type: string, body: string) {
    await this.request(method, this.expand(path), this.expand(body), { 'content-type': type });
  },
);

When(
  'I send {string} to {string} with the token {string} and:',
  async function (this: SvcWorld, method: string, path: string, token: string, body: string) {
    const headers = { authorization: `Bearer ${this.expand(token)}` };
    await this.request(method, this.expand(path), this.expand(body), headers);
  },
);

When('I submit a script with an input {int} deep', async function (this: SvcWorld, depth: number) {
  const input = `${'['.repeat(depth)}${']'.repeat(depth)}`;
  await this.request('POST', `${this.scoped}/runs`, `{"source":"true","input":${input}}`);
});

When('I send a JSON text of {int} bytes to {string}', async function (this: SvcWorld, bytes: number, path: string) {
  await this.request('POST', this.expand(path), JSON.stringify('x'.repeat(bytes - 2)));
});

Then('the answer has {string}', function (this: SvcWorld, text: string) {
  assert.ok(this.answer?.text.includes(this.expand(text)), this.answer?.text);
});

Then('the answer lacks {string}', function (this: SvcWorld, text: string) {
  assert.ok(this.answer && !this.answer.text.includes(this.expand(text)), this.answer?.text);
});

Then('the answer names the faults {string}', function (this: SvcWorld, pointers: string) {
  if (specOnly()) return; // Where a refusal says it is the contract's.
  const { errors } = this.answer?.json() as { errors: { pointer: string }[] };
  assert.equal(
    errors
      .map(({ pointer }) => pointer)
      .sort()
      .join(' '),
    pointers,
  );
});

Then('{string} of the answer is the header {string}', function (this: SvcWorld, member: string, header: string) {
  const found = (this.answer?.json() as Record<string, unknown>)[member];
  assert.ok(found);
  assert.equal(found, this.answer?.headers.get(header));
});

Then('the header {string} of the answer matches {string}', function (this: SvcWorld, header: string, pattern: string) {
  assertMatches(this.answer?.headers.get(header), pattern);
});

Then('the document describes:', function (this: SvcWorld, table: DataTable) {
  const { paths } = this.answer?.json() as { paths: Record<string, Record<string, unknown>> };
  for (const [method = '', path = ''] of table.raw()) assert.ok(paths[path]?.[method], `${method} ${path}`);
});

Then('the token {string} is soon refused by {string}', async function (this: SvcWorld, token: string, path: string) {
  const headers = { authorization: `Bearer ${this.expand(token)}` };
  await until('the token to expire', 15_000, async () => {
    const { status } = await this.call('GET', this.expand(path), undefined, headers);
    return status === 401 || undefined;
  });
});

/** The chunks of a log stream that begins after the event `after`. */
async function follow(world: SvcWorld, after?: string): Promise<Followed> {
  const headers: Record<string, string> = after === undefined ? {} : { 'last-event-id': after };
  const { text } = await world.call('GET', `${world.scoped}/runs/${world.run_id}/logs?follow=true`, undefined, headers);
  const seen: Followed = { ids: [], text: '', ended: false };
  const parser = createParser({
    onEvent: ({ event, id, data }) => {
      if (event === 'end') seen.ended = true;
      if (event === 'end' || event === 'status') return;
      if (id) seen.ids.push(id);
      seen.text += Buffer.from((JSON.parse(data) as { data: string }).data, 'base64').toString('utf8');
    },
  });
  parser.feed(text);
  return seen;
}

When('I follow the log over HTTP', async function (this: SvcWorld) {
  this.notes.set('followed', JSON.stringify(await follow(this)));
});

When('I follow the log over HTTP after its first event', async function (this: SvcWorld) {
  const { ids } = await follow(this);
  this.notes.set('followed', JSON.stringify(await follow(this, ids[0])));
});

Then('the followed text is {string} and the stream has ended', function (this: SvcWorld, text: string) {
  const { text: found, ended } = JSON.parse(this.notes.get('followed') ?? '{}') as Followed;
  assert.deepEqual({ found, ended }, { found: text.replaceAll('\\n', '\n'), ended: true });
});

Then('the log soon has {string}', async function (this: SvcWorld, text: string) {
  await until(`the log to have ${text}`, 20_000, async () => (await this.logText()).includes(text) || undefined);
});

Then('the run of the answer succeeds', async function (this: SvcWorld) {
  this.remember((this.answer?.json() as { run_id: string }).run_id);
  await this.reaches('succeeded');
});

Then('the run goes on after the signal {string}', async function (this: SvcWorld, name: string) {
  await this.reaches('waiting');
  const answer = await this.call('POST', `${this.scoped}/runs/${this.run_id}/signals/${name}`, 'null');
  assert.equal(answer.status, 202, answer.text);
  await this.reaches('succeeded');
});

Then('standard output is the version of the package', function (this: SvcWorld) {
  assert.equal(this.cli?.stdout.trim(), packageVersion);
});

Then('the agents show the version of the package', function (this: SvcWorld) {
  const { agents } = this.answer?.json() as { agents: { version: string }[] };
  assert.ok(agents.length > 0);
  for (const { version } of agents) assert.equal(version, packageVersion);
});
