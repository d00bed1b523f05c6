import assert from 'node:assert/strict';
import { Given, Then, When } from '@cucumber/cucumber';
import type { SvcWorld } from '../support/world.ts';

interface Accepted {
  run_id: string;
  duplicate?: boolean;
}

const document = (world: SvcWorld, source: string) => ({ filename: 'job.sh', source: `${world.expand(source)}\n` });

When('I take the run of the answer', function (this: SvcWorld) {
  assert.ok(this.answer && this.answer.status < 300, this.answer?.text);
  this.remember((this.answer.json() as Accepted).run_id);
});

When(
  'I submit over HTTP with the key {string} in the body:',
  async function (this: SvcWorld, key: string, source: string) {
    await this.request('POST', `${this.scoped}/runs`, { ...document(this, source), idempotency_key: key });
  },
);

When(
  'I submit over HTTP with the key {string} in the header:',
  async function (this: SvcWorld, key: string, source: string) {
    await this.request('POST', `${this.scoped}/runs`, document(this, source), { 'idempotency-key': key });
  },
);

When(
  'I submit over HTTP with the key {string} in the body and {string} in the header:',
  async function (this: SvcWorld, inBody: string, inHeader: string, source: string) {
    const body = { ...document(this, source), idempotency_key: inBody };
    await this.request('POST', `${this.scoped}/runs`, body, { 'idempotency-key': inHeader });
  },
);

When(
  'I submit {int} times at once with the key {string}:',
  async function (this: SvcWorld, count: number, key: string, source: string) {
    const body = { ...document(this, source), idempotency_key: key };
    const calls = Array.from({ length: count }, () => this.call('POST', `${this.scoped}/runs`, body));
    this.answers = await Promise.all(calls);
  },
);

Then('all of them answer one run, {int} as duplicates', function (this: SvcWorld, count: number) {
  const answers = this.answers.map((one) => one.json() as Accepted);
  assert.equal(new Set(answers.map(({ run_id }) => run_id)).size, 1, JSON.stringify(answers));
  assert.equal(answers.filter(({ duplicate }) => duplicate === true).length, count);
  this.remember(answers[0]!.run_id);
});

When('I submit a script of {int} bytes over HTTP', async function (this: SvcWorld, bytes: number) {
  const body = { filename: 'job.sh', source: `true\n#${'x'.repeat(bytes - 6)}` };
  await this.request('POST', `${this.scoped}/runs`, body);
});

Given('{int} finished runs', async function (this: SvcWorld, count: number) {
  for (let index = 0; index < count; index += 1)
    await this.submit({ filename: 'job.sh', source: 'true\n' }, `run ${index}`);
  for (const run_id of this.runs.values()) await this.reaches('succeeded', run_id);
});

When(
  'I walk {string} in pages of {int} of {string}',
  async function (this: SvcWorld, path: string, limit: number, plural: string) {
    this.pages = [];
    for (let cursor = ''; ; ) {
      const next = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const answer = await this.request('GET', `${this.expand(path)}?limit=${limit}${next}`);
      const page = answer.json() as Record<string, unknown[]> & { next_cursor?: string };
      this.pages.push(page[plural] ?? []);
      if (page.next_cursor === undefined) return;
      cursor = page.next_cursor;
    }
  },
);

Then('the pages hold {string} entries', function (this: SvcWorld, counts: string) {
  assert.equal(this.pages.map((page) => page.length).join(' '), counts);
});

Then('together they are the runs, newest first', function (this: SvcWorld) {
  const listed = this.pages.flat().map((one) => (one as Accepted).run_id);
  assert.deepEqual(listed, [...this.runs.values()].reverse());
});

Then('the answer lists {int} {string}', function (this: SvcWorld, count: number, plural: string) {
  const list = (this.answer?.json() as Record<string, unknown[]>)[plural];
  assert.equal(list?.length, count, this.answer?.text);
});
