import assert from 'node:assert/strict';
import { type DataTable, Given, Then, When } from '@cucumber/cucumber';
import { type FarForge, openFarForge } from '../support/far-forge.ts';
import { leftOut } from '../support/left-out.ts';
import { isLoopback, reach } from '../support/reach.ts';
import { settles } from '../support/settled.ts';
import { assertReason } from '../support/text.ts';
import { type Address, deliver, type Sending, type Taken } from '../support/forge-delivery.ts';
import type { SvcWorld } from '../support/world.ts';

type Forge = 'forge_a' | 'forge_b';

const farForges = new WeakMap<SvcWorld, FarForge>();

async function put(world: SvcWorld, name: string, body: object): Promise<void> {
  const answer = await world.call('PUT', `${world.scoped}/webhooks/${name}`, body);
  assert.ok(answer.status < 300, answer.text);
  const { delivery_url, secret } = answer.json() as { delivery_url: string; secret?: string };
  world.notes.set(`url of ${name}`, delivery_url);
  if (secret !== undefined) world.notes.set(`secret of ${name}`, secret);
}

function addressOf(world: SvcWorld, name: string): Address {
  const delivery_url = world.notes.get(`url of ${name}`);
  assert.ok(delivery_url, `no webhook ${name} was made`);
  return { delivery_url, secret: world.notes.get(`secret of ${name}`) ?? '' };
}

/** Becomes the answer of the scenario; its event is noted as `{event}`. */
function answered(world: SvcWorld, { status, headers, text, json }: Taken): void {
  world.refuseUnchecked();
  world.answer = { status, text, headers, json: () => json, checked: status < 400 };
  if (status < 300) world.notes.set('event', json.event_id);
}

async function send(world: SvcWorld, forge: string, name: string, event: string, text: string, sending: Sending = {}) {
  const payload: unknown = JSON.parse(world.expand(text));
  await world.sends(JSON.stringify(payload));
  answered(world, await deliver(forge as Forge, addressOf(world, name), event, payload, sending));
}

/** `{forge, repo, workflow?…}`. */
Given('the webhook {string} with:', async function (this: SvcWorld, name: string, body: string) {
  await put(this, name, JSON.parse(this.expand(body)) as object);
});

Given('the webhook {string} with {string}', async function (this: SvcWorld, name: string, body: string) {
  await put(this, name, JSON.parse(this.expand(body)) as object);
});

Given(
  'the webhook {string} for {string} runs {string}:',
  async function (this: SvcWorld, name: string, repo: string, filename: string, source: string) {
    const workflow = { filename, source: `${this.expand(source)}\n` };
    await put(this, name, { forge: 'forge_a', repo, workflow });
  },
);

When(
  '{word} delivers {string} to {string}:',
  async function (this: SvcWorld, forge: string, event: string, name: string, payload: string) {
    await send(this, forge, name, event, payload);
  },
);

When(
  '{word} delivers {string} to {string} as {string}:',
  async function (this: SvcWorld, forge: string, event: string, name: string, id: string, payload: string) {
    await send(this, forge, name, event, payload, { id });
  },
);

/** As it stands here: elsewhere the payload is read and written anew. */
When(
  '{word} delivers {string} to {string} as the text:',
  async function (this: SvcWorld, forge: string, event: string, name: string, payload: string) {
    await send(this, forge, name, event, '{}', { raw: this.expand(payload) });
  },
);

When(
  '{word} delivers {string} to {string} as a form:',
  async function (this: SvcWorld, forge: string, event: string, name: string, payload: string) {
    const raw = new URLSearchParams({ payload: this.expand(payload) }).toString();
    await send(this, forge, name, event, '{}', {
      raw,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
  },
);

/** The headers are those of the forge, and the signature that of what it had sent. */
When(
  '{word} delivers {string} to {string}, changed on the way to {string}:',
  async function (this: SvcWorld, forge: string, event: string, name: string, body: string, payload: string) {
    await send(this, forge, name, event, payload, { changed: body });
  },
);

When(
  '{word} delivers {string} with {int} MiB to {string} as {string}',
  async function (this: SvcWorld, forge: string, event: string, mib: number, name: string, id: string) {
    await send(this, forge, name, event, JSON.stringify({ noise: 'x'.repeat(mib * 1024 * 1024) }), { id });
  },
);

/** The right headers, signed with another secret. */
When(
  'a stranger delivers {string} to {string}:',
  async function (this: SvcWorld, event: string, name: string, payload: string) {
    const address = { ...addressOf(this, name), secret: 'not the secret' };
    answered(this, await deliver('forge_a', address, event, JSON.parse(payload)));
  },
);

When(
  'a stranger delivers {string} to {string} without a signature:',
  async function (this: SvcWorld, event: string, name: string, payload: string) {
    await send(this, 'forge_a', name, event, payload, { headers: { 'x-hub-signature-256': undefined } });
  },
);

const FORK = {
  action: 'opened',
  repository: { full_name: 'acme/site' },
  pull_request: {
    author_association: 'NONE',
    base: { repo: { full_name: 'acme/site' } },
    head: { sha: '0123456789', ref: 'fix', repo: { full_name: 'eve/site' } },
  },
};

/** The pull request of somebody for whom nobody vouches starts a handler, so that its run is not trusted. */
async function forked(world: SvcWorld, filename: string, text: string): Promise<string | undefined> {
  await put(world, 'forked', { forge: 'forge_a', repo: 'acme/site' });
  const handler = { on: ['forge.pull_request'], filename, source: `${world.expand(text)}\n` };
  const registered = await world.call('PUT', `${world.scoped}/handlers/forked`, handler);
  assert.ok(registered.status < 300, registered.text);
  await send(world, 'forge_a', 'forked', 'pull_request', JSON.stringify(FORK));
  const event = await world.call('GET', `${world.scoped}/events/${world.notes.get('event')}`);
  const { deliveries } = event.json() as { deliveries: { name: string; run_id?: string }[] };
  return deliveries.find(({ name }) => name === 'forked')?.run_id;
}

async function forkedRun(world: SvcWorld, run: string, filename: string, text: string): Promise<void> {
  const run_id = await forked(world, filename, text);
  assert.ok(run_id, 'the pull request has started no run');
  world.remember(run_id, run);
}

When('a fork runs {string} as {string}:', async function (this: SvcWorld, filename: string, run: string, text: string) {
  await forkedRun(this, run, filename, text);
});

When('a fork opens a pull request', async function (this: SvcWorld) {
  await put(this, 'forked', { forge: 'forge_a', repo: 'acme/site' });
  await send(this, 'forge_a', 'forked', 'pull_request', JSON.stringify(FORK));
});

When('a fork runs the pipeline as {string}:', async function (this: SvcWorld, run: string, text: string) {
  await forkedRun(this, run, 'ci.yml', text);
});

When('the event of the delivery is looked at', async function (this: SvcWorld) {
  await this.request('GET', `${this.scoped}/events/${this.notes.get('event')}`);
});

/** What each reaction did with the event: reaction, name, state, reason. */
Then('the delivery came to:', async function (this: SvcWorld, table: DataTable) {
  const shown = async () => {
    const answer = await this.call('GET', `${this.scoped}/events/${this.notes.get('event')}`);
    const { deliveries } = answer.json() as { deliveries: Record<string, string>[] };
    return deliveries.map(({ reaction, name, state, reason = '' }) => [reaction, name, state, reason]).sort();
  };
  const named = async () => (await shown()).map((row) => row.slice(0, 3));
  await settles(
    named,
    table.rows().map((row) => row.slice(0, 3)),
  );
  for (const [at, [, , , found]] of (await shown()).entries()) assertReason(found, table.rows()[at]![3]);
});

Then('the workflow of the webhook {string} succeeds', async function (this: SvcWorld, name: string) {
  const answer = await this.call('GET', `${this.scoped}/events/${this.notes.get('event')}`);
  const { deliveries } = answer.json() as { deliveries: { reaction: string; name: string; run_id?: string }[] };
  const own = deliveries.find((one) => one.reaction === 'webhook' && one.name === name);
  assert.ok(own?.run_id, answer.text);
  this.remember(own.run_id);
  await this.reaches('succeeded');
});

/** Its API answers at `{far_forge}` to those with this token. */
Given('a forge whose API takes the token {string}', async function (this: SvcWorld, token: string) {
  if (!isLoopback(reach().host)) return leftOut(this, 'forges without TLS, which may be at a loopback address only');
  const far = await openFarForge(this.expand(token));
  this.cleanups.push(far.close);
  farForges.set(this, far);
  this.notes.set('far_forge', far.url);
  return undefined;
});

function hooksOf(world: SvcWorld, repo: string) {
  return farForges.get(world)?.hooks.get(repo) ?? [];
}

Then('the forge has {int} webhook(s) for {string}', function (this: SvcWorld, count: number, repo: string) {
  assert.equal(hooksOf(this, repo).length, count);
});

Then(
  'the webhook at the forge for {string} subscribes to {string}',
  function (this: SvcWorld, repo: string, event: string) {
    const [hook] = hooksOf(this, repo);
    assert.ok(hook?.events.includes(event), `${event} is not in ${JSON.stringify(hook?.events)}`);
  },
);

Then(
  'the webhook at the forge for {string} delivers to {string}',
  function (this: SvcWorld, repo: string, url: string) {
    const [hook] = hooksOf(this, repo);
    assert.equal(hook?.config.url, this.expand(url));
  },
);

When('I register a webhook at each of these addresses:', async function (this: SvcWorld, table: DataTable) {
  this.answers = [];
  for (const [api_base] of table.raw()) {
    const body = { forge: 'forge_a', repo: 'acme/site', api_base, auto_register: true, credential: 'bot' };
    this.answers.push(await this.call('PUT', `${this.scoped}/webhooks/site`, body));
  }
});

/** As the forge does on its own: with the secret that it was given. */
When(
  'the forge delivers {string} of {string}:',
  async function (this: SvcWorld, event: string, repo: string, text: string) {
    const { url = '', secret = '' } = hooksOf(this, repo)[0]?.config ?? {};
    answered(this, await deliver('forge_a', { delivery_url: url, secret }, event, JSON.parse(this.expand(text))));
  },
);
