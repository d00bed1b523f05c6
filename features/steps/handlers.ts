import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type DataTable, Given, Then, When } from '@cucumber/cucumber';
import { until } from '../support/process.ts';
import { settles } from '../support/settled.ts';
import { asText, assertReason } from '../support/text.ts';
import type { RunView, SvcWorld } from '../support/world.ts';

interface Delivery {
  reaction: string;
  name: string;
  state: string;
  reason?: string;
  run_id?: string;
}

async function put(world: SvcWorld, name: string, body: Record<string, unknown>): Promise<void> {
  const answer = await world.call('PUT', `${world.scoped}/handlers/${name}`, body);
  assert.ok(answer.status < 300, answer.text);
}

async function runsOf(world: SvcWorld, handler?: string): Promise<RunView[]> {
  const answer = await world.call('GET', `${world.scoped}/runs?limit=200`);
  const { runs } = answer.json() as { runs: RunView[] };
  return runs.filter(
    ({ trigger }) => trigger.handler !== undefined && (handler ?? trigger.handler) === trigger.handler,
  );
}

async function deliveries(world: SvcWorld): Promise<Delivery[]> {
  const answer = await world.call('GET', `${world.scoped}/events/${world.notes.get('event')}`);
  assert.equal(answer.status, 200, answer.text);
  return (answer.json() as { deliveries: Delivery[] }).deliveries.filter(({ reaction }) => reaction === 'handler');
}

Given(
  'the handler {string} on {string} runs {string}:',
  async function (this: SvcWorld, name: string, on: string, filename: string, source: string) {
    await put(this, name, { on: on.split(','), filename, source: `${this.expand(source)}\n` });
  },
);

Given(
  'the handler {string} with {string} runs {string}:',
  async function (this: SvcWorld, name: string, options: string, filename: string, source: string) {
    const more = JSON.parse(this.expand(options)) as Record<string, unknown>;
    await put(this, name, { ...more, filename, source: `${this.expand(source)}\n` });
  },
);

Given(
  '{int} handlers on {string} run {string}:',
  async function (this: SvcWorld, count: number, on: string, filename: string, source: string) {
    const body = { on: on.split(','), filename, source: `${this.expand(source)}\n` };
    for (let n = 1; n <= count; n++) await put(this, `many-${n}`, body);
  },
);

/** Their runs stay queued, and so in flight, until they are cancelled. */
Given(
  '{int} handlers on {string} whose runs no agent takes',
  async function (this: SvcWorld, count: number, on: string) {
    const body = { on: on.split(','), filename: 'held.sh', source: 'true\n', requires: ['held-back'] };
    for (let n = 1; n <= count; n++) await put(this, `many-${n}`, body);
  },
);

When('every handler run that no agent takes is cancelled', async function (this: SvcWorld) {
  const held = (await runsOf(this)).filter(({ status, workflow }) => status === 'queued' && workflow === 'held.sh');
  assert.notEqual(held.length, 0, 'no run is held back');
  for (const { run_id } of held) await this.call('POST', `${this.scoped}/runs/${run_id}/cancel`, {});
});

Given('the handler {string} is removed', async function (this: SvcWorld, name: string) {
  assert.equal((await this.call('DELETE', `${this.scoped}/handlers/${name}`)).status, 204);
});

/** `{}`, or the `key` and `payload` of the event. A refusal is looked at by a later step. */
When('somebody emits {string} with {string}', async function (this: SvcWorld, type: string, body: string) {
  const more = JSON.parse(this.expand(body)) as Record<string, unknown>;
  const answer = await this.request('POST', `${this.scoped}/events`, { type, ...more });
  if (answer.status < 300) this.notes.set('event', (answer.json() as { event: string }).event);
});

When('the last event of type {string} is looked at', async function (this: SvcWorld, type: string) {
  const found = await until(`an event ${type}`, 30_000, async () => {
    const answer = await this.call('GET', `${this.scoped}/events?type=${type}&limit=1`);
    return (answer.json() as { events: { event: string }[] }).events[0];
  });
  this.notes.set('event', found.event);
});

/** Not one of the runs that it started. */
When('the event {string} of the run is looked at', async function (this: SvcWorld, type: string) {
  const found = await until(`the event ${type} of ${this.run_id}`, 30_000, async () => {
    const answer = await this.call('GET', `${this.scoped}/events?type=${type}&limit=200`);
    const { events } = answer.json() as { events: { event: string; source_name: string }[] };
    return events.find(({ source_name }) => source_name === this.run_id);
  });
  this.notes.set('event', found.event);
});

Then('it was delivered so:', async function (this: SvcWorld, table: DataTable) {
  const named = async () => (await deliveries(this)).map(({ name, state }) => [name, state]);
  await settles(
    named,
    table.rows().map(([name, state]) => [name, state]),
  );
  for (const [at, { reason }] of (await deliveries(this)).entries()) assertReason(reason, table.rows()[at]![2]);
});

Then('it was delivered to no handler', async function (this: SvcWorld) {
  await settles(() => deliveries(this), []);
});

/** The run of the event that was looked at last. */
Then('the handler {string} succeeds', async function (this: SvcWorld, name: string) {
  const started = async () => (await deliveries(this)).find((one) => one.name === name)?.run_id;
  this.remember(await until(`${name} to have a run`, 10_000, started), name);
  await this.reaches('succeeded');
});

/** Everything has ended, and nothing waits for a place. */
Then('the project comes to rest', async function (this: SvcWorld) {
  await until('every run to end', 60_000, async () => {
    const answer = await this.call('GET', `${this.scoped}/handlers`);
    const { queued } = answer.json() as { queued: number };
    return (queued === 0 && (await this.unfinished()).length === 0) || undefined;
  });
});

Then(/^the handler "([^"]*)" ran (\d+) times?$/, async function (this: SvcWorld, name: string, count: string) {
  await settles(async () => (await runsOf(this, name)).length, Number(count));
});

Then('the {string} of its runs are {string}', async function (this: SvcWorld, field: string, values: string) {
  const found = async () => (await runsOf(this)).map((run) => asText(run[field])).sort();
  await settles(async () => (await found()).join(' '), values);
});

Then('{int} handler runs are in flight and {int} wait', async function (this: SvcWorld, open: number, waiting: number) {
  const load = async () => {
    const answer = await this.call('GET', `${this.scoped}/handlers`);
    const { in_flight, queued } = answer.json() as { in_flight: number; queued: number };
    return { in_flight, queued };
  };
  await settles(load, { in_flight: open, queued: waiting });
});

Then('the project has {int} event(s) of type {string}', async function (this: SvcWorld, count: number, type: string) {
  const found = async () => {
    const answer = await this.call('GET', `${this.scoped}/events?type=${type}&limit=200`);
    return (answer.json() as { events: unknown[] }).events.length;
  };
  await settles(found, count);
});

When('every waiting handler run gets the signal {string}', async function (this: SvcWorld, name: string) {
  const waiting = await until('the runs to wait', 60_000, async () => {
    const open = (await runsOf(this)).filter(({ status }) => !['succeeded', 'failed', 'cancelled'].includes(status));
    return open.length > 0 && open.every(({ status }) => status === 'waiting') ? open : undefined;
  });
  for (const { run_id } of waiting) {
    const answer = await this.call('POST', `${this.scoped}/runs/${run_id}/signals/${name}`, 'null');
    assert.equal(answer.status, 202, answer.text);
  }
});

When(
  'every waiting run of {string} gets the signal {string}',
  async function (this: SvcWorld, workflow: string, name: string) {
    const waiting = (await runsOf(this)).filter((run) => run.workflow === workflow && run.status === 'waiting');
    assert.notEqual(waiting.length, 0, `no run of ${workflow} waits`);
    for (const { run_id } of waiting) {
      const answer = await this.call('POST', `${this.scoped}/runs/${run_id}/signals/${name}`, 'null');
      assert.equal(answer.status, 202, answer.text);
    }
  },
);

Then('{int} runs of {string} succeed', async function (this: SvcWorld, count: number, workflow: string) {
  const over = async () => {
    const own = (await runsOf(this)).filter((run) => run.workflow === workflow);
    return own.filter(({ status }) => status === 'succeeded').length === count || undefined;
  };
  await until(`${count} runs of ${workflow} to succeed`, 60_000, over);
});

When('the starter in {string} is written to {string}', async function (this: SvcWorld, language: string, file: string) {
  await this.svc(['handler', 'init', language, file]);
});

Given('a list of {int} numbers noted as {string}', function (this: SvcWorld, count: number, name: string) {
  this.notes.set(name, JSON.stringify(Array.from({ length: count }, (_, n) => n)));
});

When(
  'somebody emits {string} with a payload of {int} characters',
  async function (this: SvcWorld, type: string, length: number) {
    const payload = `${'x'.repeat(length - 3)}end`;
    this.notes.set('digest', createHash('sha256').update(payload).digest('hex'));
    const answer = await this.request('POST', `${this.scoped}/events`, { type, payload });
    this.notes.set('event', (answer.json() as { event: string }).event);
  },
);

Then('the run of {string} is {string}', async function (this: SvcWorld, handler: string, status: string) {
  const run = await until(`${handler} to have a run`, 10_000, async () => (await runsOf(this, handler))[0]);
  this.remember(run.run_id, handler);
  await this.reaches(status);
});

Then(
  'the error of the failed run of {string} has {string}',
  async function (this: SvcWorld, handler: string, text: string) {
    const failed = (await runsOf(this, handler)).find(({ status }) => status === 'failed');
    assert.ok(failed, 'no run has failed');
    const log = await this.logText(failed.run_id);
    assert.ok(`${failed.error?.message}\n${log}`.includes(text), `${failed.error?.message}\n${log}`);
  },
);
