import assert from 'node:assert/strict';
import { Given, Then, When } from '@cucumber/cucumber';
import { until } from '../support/process.ts';
import { asText } from '../support/text.ts';
import type { SvcWorld } from '../support/world.ts';
import { at } from './cli.ts';

interface Tick {
  due: string;
  event: string;
  run_id?: string;
}

async function put(world: SvcWorld, name: string, body: unknown): Promise<void> {
  const answer = await world.call('PUT', `${world.scoped}/schedules/${name}`, body);
  assert.ok(answer.status < 300, answer.text);
}

Given('the schedule {string} is {string}', async function (this: SvcWorld, name: string, body: string) {
  await put(this, name, JSON.parse(this.expand(body)));
});

Given(
  'the schedule {string} of every second runs {string}:',
  async function (this: SvcWorld, name: string, filename: string, source: string) {
    const workflow = { filename, source: `${this.expand(source)}\n`, input: { from: 'the schedule' } };
    await put(this, name, { cron: '* * * * * *', subject: 'pulse', workflow });
  },
);

/** The first tick that is seen; no further one comes, and every run that one started has ended. */
const ticked = (world: SvcWorld, name: string): Promise<Tick> =>
  until(`${name} to tick`, 30_000, async () => {
    const answer = await world.call('GET', `${world.scoped}/schedules/${name}`);
    return (answer.json() as { last_tick?: Tick }).last_tick;
  });

When('the schedule {string} has ticked', async function (this: SvcWorld, name: string) {
  await ticked(this, name);
});

When(
  'a due time of the schedule {string} is {word}',
  async function (this: SvcWorld, name: string, how: 'waiting' | 'skipped') {
    await until(`a due time of ${name} to be ${how}`, 30_000, async () => {
      const answer = await this.call('GET', `${this.scoped}/schedules/${name}/next`);
      const times = (answer.json() as Record<'waiting' | 'skipped', { reason: string }[]>)[how];
      return times.length > 0 ? times : undefined;
    });
  },
);

When('no due time of the schedule {string} waits', async function (this: SvcWorld, name: string) {
  await until(`no due time of ${name} to wait`, 30_000, async () => {
    const answer = await this.call('GET', `${this.scoped}/schedules/${name}/next`);
    return (answer.json() as { waiting: unknown[] }).waiting.length === 0 ? true : undefined;
  });
});

When('I look at the first run of the schedule {string}', async function (this: SvcWorld, name: string) {
  const runs = await until(`a run of ${name}`, 30_000, async () => {
    const answer = await this.call('GET', `${this.scoped}/runs?trigger=schedule:${name}&limit=200`);
    const { runs: found } = answer.json() as { runs: { run_id: string }[] };
    return found.length > 0 ? found : undefined;
  });
  this.remember(runs.at(-1)!.run_id, name);
});

When('the schedule {string} is removed, and its runs are cancelled', async function (this: SvcWorld, name: string) {
  assert.equal((await this.call('DELETE', `${this.scoped}/schedules/${name}`)).status, 204);
  const answer = await this.call('GET', `${this.scoped}/runs?trigger=schedule:${name}&limit=200`);
  for (const { run_id } of (answer.json() as { runs: { run_id: string }[] }).runs)
    await this.call('POST', `${this.scoped}/runs/${run_id}/cancel`, {});
  await until('the runs to end', 60_000, async () => ((await this.unfinished()).length === 0 ? true : undefined));
});

When('{int} runs of the schedule {string} exist', async function (this: SvcWorld, count: number, name: string) {
  await until(`${count} runs of ${name}`, 60_000, async () => {
    const answer = await this.call('GET', `${this.scoped}/runs?trigger=schedule:${name}&limit=200`);
    return (answer.json() as { runs: unknown[] }).runs.length === count ? true : undefined;
  });
});

When('the schedule {string} has ticked and is removed', async function (this: SvcWorld, name: string) {
  const path = `${this.scoped}/schedules/${name}`;
  const tick = await ticked(this, name);
  assert.equal((await this.call('DELETE', path)).status, 204);
  await until('the runs to end', 60_000, async () => ((await this.unfinished()).length === 0 ? true : undefined));
  this.notes.set('due', tick.due);
  this.notes.set('event', tick.event);
  if (tick.run_id !== undefined) this.remember(tick.run_id);
});

Then('{string} of the tick is {string}', async function (this: SvcWorld, path: string, value: string) {
  const answer = await this.call('GET', `${this.scoped}/events/${this.notes.get('event')}`);
  const found = at(answer.json(), path);
  assert.equal(asText(found), this.expand(value), answer.text);
});

When('I look at the run that the tick started by the handler {string}', async function (this: SvcWorld, name: string) {
  const { runs } = (await this.call('GET', `${this.scoped}/runs?limit=200`)).json() as {
    runs: { run_id: string; trigger: { handler?: string; event?: string } }[];
  };
  const event = this.notes.get('event');
  const found = runs.find(({ trigger }) => trigger.handler === name && trigger.event === event);
  assert.ok(found, JSON.stringify(runs));
  this.remember(found.run_id);
});

Then('each tick of the project has one run of its own', async function (this: SvcWorld) {
  const events = (await this.call('GET', `${this.scoped}/events?type=schedule.tick&limit=200`)).json();
  const { runs } = (await this.call('GET', `${this.scoped}/runs?limit=200`)).json() as {
    runs: { trigger: { event: string } }[];
  };
  const ticks = (events as { events: { event: string }[] }).events.map(({ event }) => event);
  assert.ok(ticks.length > 0, 'it has ticked');
  assert.deepEqual(runs.map(({ trigger }) => trigger.event).sort(), ticks.sort());
});

When('I look at the run that the schedule {string} has started', async function (this: SvcWorld, name: string) {
  const tick = await until('a tick with a run', 30_000, async () => {
    const answer = await this.call('GET', `${this.scoped}/schedules/${name}`);
    return (answer.json() as { last_tick?: { run_id?: string } }).last_tick?.run_id;
  });
  this.remember(tick, name);
});
