import assert from 'node:assert/strict';
import { type DataTable, Given, Then, When } from '@cucumber/cucumber';
import { assertStatus, specOnly } from '../support/contract.ts';
import { until } from '../support/process.ts';
import { settles } from '../support/settled.ts';
import { asText, assertMatches } from '../support/text.ts';
import type { SvcWorld } from '../support/world.ts';
import { at } from './cli.ts';

interface EventView {
  event: string;
  type: string;
  key: string | null;
  source: string;
  source_name: string;
  trusted: boolean;
  payload?: unknown;
  deliveries?: { reaction: string; name: string; state: string; reason?: string }[];
}

async function listed(world: SvcWorld, query: string): Promise<EventView[]> {
  const answer = await world.call('GET', `${world.scoped}/events?limit=200&${query}`);
  assert.equal(answer.status, 200, answer.text);
  return (answer.json() as { events: EventView[] }).events;
}

async function shown(world: SvcWorld, event: string): Promise<EventView> {
  const answer = await world.call('GET', `${world.scoped}/events/${event}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.json() as EventView;
}

/** The events of a type, oldest first, which in a scenario are those of its runs. */
const ofType = async (world: SvcWorld, type: string) => (await listed(world, `type=${type}`)).reverse();

/** A member of the last event of a type. */
async function ofLast(world: SvcWorld, path: string, type: string): Promise<unknown> {
  const last = (await ofType(world, type)).at(-1);
  assert.ok(last, `there is no event ${type}`);
  return at(await shown(world, last.event), path);
}

async function emit(world: SvcWorld, body: Record<string, unknown>, headers = {}): Promise<string> {
  const answer = await world.call('POST', `${world.scoped}/events`, body, headers);
  assert.ok([200, 201].includes(answer.status), answer.text);
  world.answer = Object.assign(answer, { checked: true });
  const { event } = answer.json() as { event: string };
  world.notes.set('event', event);
  return event;
}

/** Noted as `{event}`. */
When('I emit {string}', async function (this: SvcWorld, type: string) {
  await emit(this, { type });
});

When('I emit {string} with {string}', async function (this: SvcWorld, type: string, payload: string) {
  await emit(this, { type, payload: JSON.parse(this.expand(payload)) as unknown });
});

When('I emit {string} for {string}', async function (this: SvcWorld, type: string, key: string) {
  await emit(this, { type, key });
});

When(
  'I emit {string} for {string} with {string}',
  async function (this: SvcWorld, type: string, key: string, payload: string) {
    await emit(this, { type, key, payload: JSON.parse(this.expand(payload)) as unknown });
  },
);

When('I emit {string} with the idempotency key {string}', async function (this: SvcWorld, type: string, key: string) {
  await emit(this, { type }, { 'idempotency-key': key });
});

/** The whole body, so that its size is exact. */
When('I emit {string} in a body of {int} bytes', async function (this: SvcWorld, type: string, bytes: number) {
  const empty = JSON.stringify({ type, payload: '' });
  const body = JSON.stringify({ type, payload: 'x'.repeat(bytes - empty.length) });
  const answer = await this.request('POST', `${this.scoped}/events`, body);
  if (answer.status === 201) this.notes.set('event', (answer.json() as { event: string }).event);
});

When('I emit each of these types:', async function (this: SvcWorld, table: DataTable) {
  this.answers = [];
  for (const [type = ''] of table.raw()) this.answers.push(await this.call('POST', `${this.scoped}/events`, { type }));
});

Then('each is answered {int} with code {string}', function (this: SvcWorld, status: number, code: string) {
  assert.ok(this.answers.length > 0);
  for (const answer of this.answers) {
    assertStatus(this.tags, answer.status, status, answer.text);
    if (!specOnly()) assert.equal((answer.json() as { code: string }).code, code, answer.text);
  }
});

Then('each is answered {int}', function (this: SvcWorld, status: number) {
  assert.ok(this.answers.length > 0);
  for (const answer of this.answers) assertStatus(this.tags, answer.status, status, answer.text);
});

When(
  'I submit the script {string} for {string}:',
  async function (this: SvcWorld, name: string, subject: string, source: string) {
    await this.submit({ filename: name, source: `${this.expand(source)}\n`, subject }, name);
  },
);

When(
  'I submit a script for {string} that {string} cancels as {string}',
  async function (this: SvcWorld, subject: string, type: string, name: string) {
    const source = 'svc wait-signal never\n';
    await this.submit({ filename: 'held.sh', source, cancel_on: [type], ...(subject === '' ? {} : { subject }) }, name);
  },
);

/** Of the scenario's runs; those that have ended stay as they are. */
When('I cancel every run that has not ended', async function (this: SvcWorld) {
  for (const run_id of new Set(this.runs.values())) {
    const answer = await this.call('POST', `${this.scoped}/runs/${run_id}/cancel`, {});
    assert.ok([200, 409].includes(answer.status), answer.text);
  }
});

Then(/^there (?:is|are) (\d+) events? "([^"]+)"$/, async function (this: SvcWorld, count: string, type: string) {
  await settles(async () => (await ofType(this, type)).length, Number(count));
});

Then(
  '{string} of the event {string} is {string}',
  async function (this: SvcWorld, path: string, event: string, value: string) {
    assert.equal(asText(at(await shown(this, this.expand(event)), path)), this.expand(value));
  },
);

Then(
  '{string} of the last event {string} is {string}',
  async function (this: SvcWorld, path: string, type: string, value: string) {
    assert.equal(asText(await ofLast(this, path, type)), this.expand(value));
  },
);

Then(
  '{string} of the last event {string} matches {string}',
  async function (this: SvcWorld, path: string, type: string, pattern: string) {
    assertMatches(await ofLast(this, path, type), this.expand(pattern));
  },
);

Then('{string} of the last event {string} is absent', async function (this: SvcWorld, path: string, type: string) {
  assert.equal(await ofLast(this, path, type), undefined);
});

Then('the last event {string} is noted as {string}', async function (this: SvcWorld, type: string, note: string) {
  this.notes.set(note, (await ofLast(this, 'event', type)) as string);
});

Then(
  '{string} of the last event {string} keeps the tail of {int} characters {string}',
  async function (this: SvcWorld, path: string, type: string, characters: number, tail: string) {
    const text = (await ofLast(this, path, type)) as string;
    assert.equal([...text].length, characters);
    assert.ok(text.isWellFormed(), 'no character is cut into halves');
    assert.ok(text.endsWith(tail), text.slice(-100));
  },
);

Then('the first event {string} carries {string}', async function (this: SvcWorld, type: string, payload: string) {
  const [first] = await ofType(this, type);
  assert.ok(first, `there is no event ${type}`);
  assert.equal(asText((await shown(this, first.event)).payload), payload);
});

When(
  'I cancel the run for a reason of {int} characters that ends with {string}',
  async function (this: SvcWorld, characters: number, tail: string) {
    // Beyond the basic plane: two code units each, and one character.
    const reason = '🎈'.repeat(characters - [...tail].length) + tail;
    const answer = await this.call('POST', `${this.scoped}/runs/${this.run_id}/cancel`, { reason });
    assert.equal(answer.status, 200, answer.text);
  },
);

Then('the log matches {string}', async function (this: SvcWorld, pattern: string) {
  assertMatches(await this.logText(), pattern);
});

Then('the events of the run are:', async function (this: SvcWorld, table: DataTable) {
  const [columns = []] = table.raw();
  const shownAs = ({ type, key, source }: EventView): Record<string, string> => ({ type, key: key ?? '', source });
  const cells = async () => {
    const own = (await listed(this, '')).filter(({ source_name }) => source_name === this.run_id).reverse();
    return own.map((event) => columns.map((column) => shownAs(event)[column]));
  };
  await settles(cells, table.rows());
});

/** What came of an event, in any order; runs by the names that the scenario gave them. */
Then('what came of {string} is soon:', async function (this: SvcWorld, event: string, table: DataTable) {
  const names = new Map([...this.runs].map(([name, run_id]) => [run_id, name]));
  const came = async () => {
    const { deliveries } = await shown(this, this.expand(event));
    assert.ok(deliveries, 'the event says what came of it');
    return deliveries.map(({ reaction, name, state }) => [reaction, names.get(name) ?? name, state]).toSorted();
  };
  await settles(came, table.rows().toSorted());
});

Then('nothing came of {string}', async function (this: SvcWorld, event: string) {
  await settles(async () => (await shown(this, this.expand(event))).deliveries, []);
});

Given('a file {string} of {int} bytes of JSON', async function (this: SvcWorld, name: string, bytes: number) {
  await this.file(name, JSON.stringify('x'.repeat(bytes - 2)));
});

Then('the file {string} holds the envelope of {string}', async function (this: SvcWorld, name: string, event: string) {
  const envelope = JSON.parse(await this.readText(name)) as Record<string, unknown>;
  const { event: id, type, key, trusted, payload } = await shown(this, this.expand(event));
  assert.deepEqual(envelope, { type, event: id, ...(key === null ? {} : { key }), trusted, payload });
});

Then('the file {string} has {int} bytes or more', async function (this: SvcWorld, name: string, bytes: number) {
  assert.ok(Buffer.byteLength(await this.readText(name)) >= bytes);
});

/** By id, whatever it waits for: the run may have several activities. */
When(
  'I send the signal of its wait for {string} with {string}',
  async function (this: SvcWorld, type: string, payload: string) {
    const activity = (await this.readText('activity')).trim();
    const name = encodeURIComponent(`event:${type}:${activity}`);
    const answer = await this.call('POST', `${this.scoped}/runs/${this.run_id}/signals/${name}`, payload);
    assert.equal(answer.status, 202, answer.text);
  },
);

Then('{int} handler runs are soon in flight', async function (this: SvcWorld, count: number) {
  await until(`${count} handler runs to be in flight`, 30_000, async () => {
    const answer = await this.call('GET', `${this.scoped}/handlers`);
    return (answer.json() as { in_flight: number }).in_flight === count || undefined;
  });
});

Then('the catalog has:', async function (this: SvcWorld, table: DataTable) {
  const answer = await this.call('GET', `${this.scoped}/event-types?limit=200`);
  assert.equal(answer.status, 200, answer.text);
  const { types } = answer.json() as { types: { type: string; source: string; sample?: unknown }[] };
  for (const { type, source, sample } of table.hashes()) {
    const found = types.find((one) => one.type === type);
    assert.ok(found, `${type} is not in the catalog`);
    assert.equal(found.source, source, type);
    if (sample !== '' && sample !== undefined) assert.equal(JSON.stringify(found.sample), this.expand(sample));
  }
});
