import assert from 'node:assert/strict';
import { Then } from '@cucumber/cucumber';
import { until } from '../support/process.ts';
import type { SvcWorld } from '../support/world.ts';

const LONG_MS = 15 * 60_000;

Then('the long run comes to wait for {string}', { timeout: LONG_MS }, async function (this: SvcWorld, name: string) {
  await until(`the run to wait for ${name}`, LONG_MS, async () => {
    const { status, substate } = await this.run();
    assert.ok(['queued', 'running', 'waiting'].includes(status), `the run is ${status}`);
    return (status === 'waiting' && substate?.name === name) || undefined;
  });
});

Then(
  'the file {string} holds this {int} times:',
  async function (this: SvcWorld, name: string, times: number, text: string) {
    const found = await this.readText(name);
    assert.equal(found, `${this.expand(text)}\n`.repeat(times));
  },
);

Then('{int} steps are recorded on all pages', { timeout: LONG_MS }, async function (this: SvcWorld, count: number) {
  let found = 0;
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const query = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await this.call('GET', `${this.scoped}/runs/${this.run_id}/steps?limit=200${query}`);
    const page = answer.json() as { steps: unknown[]; next_cursor?: string };
    found += page.steps.length;
    cursor = page.next_cursor;
  }
  assert.equal(found, count);
});
