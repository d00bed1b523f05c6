import assert from 'node:assert/strict';
import { Then, When } from '@cucumber/cucumber';
import { settles } from '../support/settled.ts';
import type { RunView, SvcWorld } from '../support/world.ts';
import { at } from './cli.ts';

async function tagged(world: SvcWorld, tag: string): Promise<RunView[]> {
  const answer = await world.call('GET', `${world.scoped}/runs?tag=${encodeURIComponent(tag)}&limit=200`);
  assert.equal(answer.status, 200, answer.text);
  return (answer.json() as { runs: RunView[] }).runs;
}

const idOf = (world: SvcWorld, name: string): string => {
  const run_id = world.runs.get(name);
  assert.ok(run_id, `no run is called ${name}`);
  return run_id;
};

When('I look at the spawned run {string}', function (this: SvcWorld, id: string) {
  this.run_id = this.expand(id);
});

Then('{string} of the run is the run {string}', async function (this: SvcWorld, path: string, name: string) {
  assert.equal(at(await this.run(), path), idOf(this, name));
});

Then('the run with the tag {string} is {string}', async function (this: SvcWorld, tag: string, status: string) {
  await settles(async () => (await tagged(this, tag)).length, 1);
  const [run] = await tagged(this, tag);
  await this.reaches(status, run!.run_id);
});

Then(/^(\d+) runs? (?:has|have) the tag "([^"]*)"$/, async function (this: SvcWorld, count: string, tag: string) {
  await settles(async () => (await tagged(this, tag)).length, Number(count));
  for (const { run_id } of await tagged(this, tag)) await this.reaches('succeeded', run_id);
});

Then(
  'each of {int} runs with the tag {string} is {string}',
  async function (this: SvcWorld, count: number, tag: string, status: string) {
    const statuses = async () => {
      const runs = await tagged(this, tag);
      return { count: runs.length, statuses: [...new Set(runs.map((run) => run.status))] };
    };
    await settles(statuses, { count, statuses: [status] }, 60_000);
  },
);

Then(
  'the file {string} is JSON whose {string} is {string} and whose {string} is the run {string}',
  async function (this: SvcWorld, file: string, path: string, value: string, other: string, name: string) {
    const content = JSON.parse(await this.readText(file)) as unknown;
    assert.equal(at(content, path), value);
    assert.equal(at(content, other), idOf(this, name));
  },
);

Then('the file {string} names the parent {string}', async function (this: SvcWorld, file: string, name: string) {
  assert.equal((await this.readText(file)).trim(), `spawn ${idOf(this, name)}`);
});

When(
  'the last event of type {string} of the newest run with the tag {string} is looked at',
  async function (this: SvcWorld, type: string, tag: string) {
    const [run] = await tagged(this, tag);
    assert.ok(run, `no run has the tag ${tag}`);
    const answer = await this.call('GET', `${this.scoped}/events?type=${type}&limit=200`);
    const { events } = answer.json() as { events: { event: string; source_name: string }[] };
    const found = events.find(({ source_name }) => source_name === run.run_id);
    assert.ok(found, answer.text);
    this.notes.set('event', found.event);
  },
);

When('I look at the newest run with the tag {string}', async function (this: SvcWorld, tag: string) {
  const [run] = await tagged(this, tag);
  assert.ok(run, `no run has the tag ${tag}`);
  this.run_id = run.run_id;
});
