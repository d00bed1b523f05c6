import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { type DataTable, Given, Then, When } from '@cucumber/cucumber';
import { Webhook } from 'standardwebhooks';
import { until } from '../support/process.ts';
import { settles } from '../support/settled.ts';
import type { SvcWorld } from '../support/world.ts';
import { at } from './cli.ts';

/** What is to be delivered: bytes and how they call themselves. */
const bodies = new WeakMap<SvcWorld, { bytes: Buffer; type?: string }>();

const bytesOf = (world: SvcWorld) => bodies.get(world)?.bytes ?? Buffer.alloc(0);

/** A delivery from outside: without any token, to an address that is whole. */
async function deliver(world: SvcWorld, url: string, headers: Record<string, string>): Promise<void> {
  world.refuseUnchecked();
  const { bytes, type } = bodies.get(world) ?? {};
  const response = await fetch(world.expand(url), {
    method: 'POST',
    headers: { ...(type ? { 'content-type': type } : {}), ...headers },
    ...(bytes === undefined ? {} : { body: bytes }),
  });
  const text = await response.text();
  const answer = { status: response.status, headers: response.headers, text, json: () => JSON.parse(text) };
  world.answer = Object.assign(answer, { checked: answer.status < 400 });
}

/** Notes its address as `{ingest}` and its secret, if it has one, as `{secret}`. */
Given('the event hook {string} with {string}', async function (this: SvcWorld, name: string, body: string) {
  const answer = await this.call('PUT', `${this.scoped}/event-hooks/${name}`, this.expand(body));
  assert.ok([200, 201].includes(answer.status), answer.text);
  const { ingest_url, secret } = answer.json() as { ingest_url: string; secret?: string };
  this.notes.set('ingest', ingest_url);
  if (secret !== undefined) this.notes.set('secret', secret);
});

Given('a delivery of {string} as {string}', function (this: SvcWorld, text: string, type: string) {
  bodies.set(this, { bytes: Buffer.from(this.expand(text)), type });
});

Given('a delivery of the bytes {string} as {string}', function (this: SvcWorld, hex: string, type: string) {
  bodies.set(this, { bytes: Buffer.from(hex, 'hex'), type });
});

Given('a delivery of {int} bytes', function (this: SvcWorld, count: number) {
  bodies.set(this, { bytes: Buffer.alloc(count, 'x'), type: 'text/plain' });
});

Given('its {word} HMAC with the key {string} is noted', function (this: SvcWorld, algorithm: string, key: string) {
  this.notes.set('hmac', createHmac(algorithm, key).update(bytesOf(this)).digest('hex'));
});

/** The text before the body may hold `{time}`: the seconds of now, which are noted. */
function signedBytes(world: SvcWorld, before: string): Buffer {
  world.notes.set('time', String(Math.floor(Date.now() / 1000)));
  return Buffer.concat([Buffer.from(world.expand(before)), bytesOf(world)]);
}

Given(
  'its signature over {string} and the body is noted as {string}, with the key {string}',
  function (this: SvcWorld, before: string, note: string, key: string) {
    this.notes.set(note, createHmac('sha256', key).update(signedBytes(this, before)).digest('hex'));
  },
);

const pairs = new WeakMap<SvcWorld, KeyObject>();

/** The public half, as senders write it: base64 of its DER. */
Given('a key pair noted as {string}', function (this: SvcWorld, note: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  pairs.set(this, privateKey);
  this.notes.set(note, publicKey.export({ type: 'spki', format: 'der' }).toString('base64'));
});

Given(
  'it is signed with that pair over {string} and the body, noted as {string}',
  function (this: SvcWorld, before: string, note: string) {
    this.notes.set(note, sign('sha256', signedBytes(this, before), pairs.get(this)!).toString('base64'));
  },
);

Then('the answer is the text {string}', function (this: SvcWorld, text: string) {
  assert.equal(this.answer!.text, text);
  assert.match(this.answer!.headers.get('content-type') ?? '', /^text\/plain/);
});

/** By the official signer; noted as `{signature}` and `{timestamp}`. */
Given(
  'the official signer signs it as {string} with {string}, {int} seconds from now',
  function (this: SvcWorld, id: string, key: string, offset: number) {
    const seconds = Math.floor(Date.now() / 1000) + offset;
    const signature = new Webhook(key).sign(id, new Date(seconds * 1000), bytesOf(this).toString());
    this.notes.set('signature', signature).set('timestamp', String(seconds));
  },
);

When('it is delivered to {string}', async function (this: SvcWorld, url: string) {
  await deliver(this, url, {});
});

When('it is delivered to {string} with the headers:', async function (this: SvcWorld, url: string, table: DataTable) {
  const headers = Object.entries(table.rowsHash()).map(([name, value]) => [name, this.expand(value)] as const);
  await deliver(this, url, Object.fromEntries(headers));
});

When('it is delivered with the secret', async function (this: SvcWorld) {
  await deliver(this, '{ingest}', { 'x-svc-hook-secret': this.notes.get('secret') ?? '' });
});

Then('it became an event {string} with {string}', async function (this: SvcWorld, type: string, payload: string) {
  const { status, text } = this.answer!;
  assert.equal(status, 202, text);
  const { event_id, event_type } = JSON.parse(text) as { event_id: string; event_type: string };
  assert.equal(event_type, type);
  const shown = await this.call('GET', `${this.scoped}/events/${event_id}`);
  assert.equal(JSON.stringify(at(shown.json(), 'payload')), payload, shown.text);
  this.notes.set('event', event_id);
});

Then('its payload has a text of {int} characters', async function (this: SvcWorld, count: number) {
  const { event_id } = this.answer!.json() as { event_id: string };
  const shown = (await this.call('GET', `${this.scoped}/events/${event_id}`)).json();
  assert.equal(at(shown, 'payload.body.length'), count);
});

/** Of refusals, but for the id of the request. */
Then('the answer differs from {string} in nothing but its request', function (this: SvcWorld, note: string) {
  const bare = (text: string) => text.replace(/"request_id":"[^"]*"/, '');
  assert.ok(this.notes.get(note), `nothing is noted as ${note}`);
  assert.equal(bare(this.answer!.text), bare(this.notes.get(note)!));
});

Then('the answer is noted as {string}', function (this: SvcWorld, note: string) {
  this.answer!.checked = true;
  this.notes.set(note, this.answer!.text);
});

When('its address and secret are noted from standard output', function (this: SvcWorld) {
  const { ingest_url, secret } = JSON.parse(this.cli!.stdout) as { ingest_url: string; secret?: string };
  this.notes.set('ingest', ingest_url);
  if (secret !== undefined) this.notes.set('secret', secret);
});

/** Refused ones are written a moment after the answer. */
Then(
  '{int} deliveries of the hook {string} are soon listed',
  async function (this: SvcWorld, count: number, name: string) {
    const path = `${this.scoped}/event-hooks/${name}/deliveries`;
    await settles(
      async () => ((await this.call('GET', path)).json() as { deliveries: unknown[] }).deliveries.length,
      count,
    );
  },
);

/** Once the last request is in it. */
Then('the log of the server lacks {string}', async function (this: SvcWorld, text: string) {
  const { server } = this.target.own!;
  const id = this.answer!.headers.get('x-request-id')!;
  await until('the request to be in the log', 10_000, async () => server.log.includes(id) || undefined);
  assert.ok(!server.log.includes(this.expand(text)), server.log);
});

Then('no page of {string} has {string}', async function (this: SvcWorld, path: string, text: string) {
  const answer = await this.call('GET', this.expand(path));
  assert.equal(answer.status, 200, answer.text);
  assert.ok(!answer.text.includes(this.expand(text)), answer.text);
});
