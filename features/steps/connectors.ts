import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DataTable, Given, Then, When } from '@cucumber/cucumber';
import { BotChat, TeamChat } from '../../test/far-ends/chats.ts';
import { Homeserver } from '../../test/far-ends/homeserver.ts';
import type { JsonFarEnd } from '../../test/far-ends/json-far-end.ts';
import { ChatEndpoint, MessagesEndpoint } from '../../test/far-ends/language-model.ts';
import { StatusesApi } from '../../test/far-ends/statuses.ts';
import { until } from '../support/process.ts';
import { settles } from '../support/settled.ts';
import type { SvcWorld } from '../support/world.ts';
import { at } from './cli.ts';

/*
 * Systems that connectors speak to: HTTP servers of the scenario that know the protocol and its errors. "It" is the last
 * one that was opened; its address is noted as `{far}`, and each has a name of its own beside it. Somebody else's server
 * may not reach them, so that scenarios with one have the tag `@far-end`.
 */
const ends = new WeakMap<SvcWorld, JsonFarEnd[]>();

async function keep(world: SvcWorld, name: string, opened: Promise<JsonFarEnd>): Promise<void> {
  const far = await opened;
  world.cleanups.push(() => far.end.close());
  world.needs('@far-end');
  ends.set(world, [...(ends.get(world) ?? []), far]);
  world.notes.set('far', far.end.url('')).set(name, far.end.url(''));
}

const last = (world: SvcWorld): JsonFarEnd => {
  const far = ends.get(world)?.at(-1);
  assert.ok(far, 'the scenario has a far end');
  return far;
};

function endOf<T extends JsonFarEnd>(world: SvcWorld, kind: new (...args: never[]) => T): T {
  const far = ends.get(world)?.find((one) => one instanceof kind);
  assert.ok(far instanceof kind, `there is a ${kind.name}`);
  return far;
}

Given(
  'a homeserver with the token {string} and the room {string}',
  function (this: SvcWorld, token: string, room: string) {
    return keep(this, 'homeserver', Homeserver.open(token, [room]));
  },
);

Given(
  'a chat endpoint with the model {string} and the key {string}',
  function (this: SvcWorld, model: string, key: string) {
    return keep(this, 'chat_endpoint', ChatEndpoint.open(model, key));
  },
);

Given('a chat endpoint with the model {string} that wants no key', function (this: SvcWorld, model: string) {
  return keep(this, 'chat_endpoint', ChatEndpoint.open(model));
});

Given('a messages endpoint with the key {string}', function (this: SvcWorld, key: string) {
  return keep(this, 'messages_endpoint', MessagesEndpoint.open(key));
});

Given('a statuses API with the token {string} for {string}', function (this: SvcWorld, token: string, repo: string) {
  return keep(this, 'statuses', StatusesApi.open(token, repo));
});

Given(
  'a team chat with the token {string} and the channel {string}',
  function (this: SvcWorld, token: string, channel: string) {
    return keep(this, 'team_chat', TeamChat.open(this.expand(token), channel));
  },
);

Given('a bot chat with the token {string} and the chat {int}', function (this: SvcWorld, token: string, chat: number) {
  return keep(this, 'bot_chat', BotChat.open(token, chat));
});

Given('it refuses the next {int} request(s), because it is busy', function (this: SvcWorld, count: number) {
  last(this).busy = count;
});

Given('its next answer is lost on the way', function (this: SvcWorld) {
  last(this).losesAnswers = 1;
});

Given('it does not answer the next request', function (this: SvcWorld) {
  last(this).silent = 1;
});

/** The far end that is noted under a name. */
function named(world: SvcWorld, name: string): JsonFarEnd {
  const found = ends.get(world)?.find(({ end }) => end.url('') === world.notes.get(name));
  assert.ok(found, `no far end is called ${name}`);
  return found;
}

Then('the {word} is asked for the first time', async function (this: SvcWorld, name: string) {
  const far = named(this, name);
  await until(`${name} to be asked`, 30_000, async () => far.seen.length > 0 || undefined);
});

Then('the {word} was asked {int} time(s)', async function (this: SvcWorld, name: string, count: number) {
  await settles(async () => named(this, name).seen.length, count);
});

Then('it was asked {int} time(s)', async function (this: SvcWorld, count: number) {
  await settles(async () => last(this).seen.length, count);
});

/** Columns: `method`, `path`, names of headers (`-` for none); only those that it has are compared. */
Then('it was asked:', function (this: SvcWorld, table: DataTable) {
  const [head = []] = table.raw();
  const shown = last(this).seen.map((seen) =>
    head.map((name) => (name === 'method' || name === 'path' ? seen[name] : String(seen.headers[name] ?? '-'))),
  );
  assert.deepEqual(
    shown,
    table.rows().map((row) => row.map((text) => this.expand(text))),
  );
});

Then('the body of request {int} is {string}', function (this: SvcWorld, nth: number, body: string) {
  assert.deepEqual(JSON.parse(last(this).seen[nth - 1]!.body), JSON.parse(this.expand(body)));
});

/** Columns: `txn_id`, or members of the content. */
Then('the room {string} has the messages:', function (this: SvcWorld, room: string, table: DataTable) {
  const [head = []] = table.raw();
  const shown = endOf(this, Homeserver)
    .rooms.get(room)!
    .map(({ txn_id, content }) => head.map((name) => (name === 'txn_id' ? txn_id : String(content[name]))));
  assert.deepEqual(
    shown,
    table.rows().map((row) => row.map((text) => this.expand(text))),
  );
});

Then('the channel has the message {string}', function (this: SvcWorld, text: string) {
  assert.deepEqual(
    endOf(this, TeamChat).posted.map((one) => one.text),
    [this.expand(text)],
  );
});

Then('the chat has the message {string}', function (this: SvcWorld, text: string) {
  assert.deepEqual(
    endOf(this, BotChat).sent.map((one) => one.text),
    [this.expand(text)],
  );
});

/** Columns: `context`, `state`, `target_url` (`-` for none). Waits until they are so. */
Then('the commit {string} soon has the checks:', async function (this: SvcWorld, commit: string, table: DataTable) {
  const api = endOf(this, StatusesApi);
  const [head = []] = table.raw();
  const wanted = JSON.stringify(table.rows().map((row) => row.map((text) => this.expand(text))));
  const shown = () => {
    const checks = [...(api.commits.get(this.expand(commit))?.values() ?? [])].sort((a, b) =>
      a.context < b.context ? -1 : 1,
    );
    return JSON.stringify(
      checks.map((one) => head.map((name) => (one as unknown as Record<string, string>)[name] ?? '-')),
    );
  };
  await until(`the checks ${wanted}, not ${shown()}`, 30_000, async () => shown() === wanted || undefined);
});

/** Columns: `context`, and every state that was reported under it, in any order: events overtake each other. */
Then('each check soon was reported as:', async function (this: SvcWorld, table: DataTable) {
  const { reported } = endOf(this, StatusesApi);
  const wanted = table
    .rows()
    .flatMap(([context, states = '']) => states.split(' ').map((state) => `${context} ${state}`));
  await settles(async () => reported.toSorted(), wanted.toSorted());
});

Then('the commit {string} has {int} checks', function (this: SvcWorld, commit: string, count: number) {
  assert.equal(endOf(this, StatusesApi).commits.get(commit)?.size, count);
});

/** Columns are paths into each manifest; `-` for what is not there. */
Then('the connectors have:', async function (this: SvcWorld, table: DataTable) {
  const answer = await this.call('GET', `${this.scoped}/connectors?limit=200`);
  assert.equal(answer.status, 200, answer.text);
  const { connectors } = answer.json() as { connectors: { name: string }[] };
  const [head = []] = table.raw();
  for (const row of table.rows()) {
    const found = connectors.find(({ name }) => name === row[head.indexOf('name')]);
    assert.ok(found, `no connector ${row.join(' ')}`);
    const shown = head.map((path) => shownAt(found, path));
    assert.deepEqual(shown, row);
  }
});

/** A value as text; of an object or of a list of values their names. */
function shownAt(value: unknown, path: string): string {
  const found = at(value, path);
  if (found === undefined) return '-';
  if (Array.isArray(found)) return found.map((one) => nameOf(one as { name: string; required?: boolean })).join(' ');
  return typeof found === 'object' && found !== null ? Object.keys(found).join(' ') : String(found);
}

const nameOf = ({ name, required, markdown }: { name: string; required?: boolean; markdown?: boolean }): string =>
  `${name}${required ? '!' : ''}${markdown ? ' (markdown)' : ''}`;

/** A package of npm, as an install in the scenario's folder would put it there. */
Given(
  'the package {string} with the file {string}:',
  async function (this: SvcWorld, name: string, file: string, content: string) {
    await this.file(`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0' }));
    await this.file(`node_modules/${name}/${file}`, content);
  },
);

When(
  'the text {string} of the file {string} becomes {string}',
  async function (this: SvcWorld, old: string, name: string, text: string) {
    const path = join(this.folder, name);
    const before = await readFile(path, 'utf8');
    assert.ok(before.includes(old), `"${old}" is not in ${before}`);
    await writeFile(path, before.replace(old, text));
  },
);

When(
  'I run the node {string} on the input {string} with:',
  async function (this: SvcWorld, node: string, input: string, config: string) {
    const given = JSON.parse(this.expand(input)) as object;
    await this.submit({ node, input: given, config: JSON.parse(this.expand(config)) as object });
  },
);

/** Each row is an argument as it is, so that JSON needs no quotes around it. */
When('I call svc with the arguments:', async function (this: SvcWorld, table: DataTable) {
  await this.svc(table.raw().flatMap((row) => row.map((text) => this.expand(text)).filter((text) => text !== '')));
});

Given(
  'the handler {string} on {string} has the graph:',
  async function (this: SvcWorld, name: string, on: string, document: string) {
    const source = JSON.stringify({
      version: 'svc-graph/v1',
      edges: [],
      ...(JSON.parse(this.expand(document)) as object),
    });
    const answer = await this.call('PUT', `${this.scoped}/handlers/${name}`, {
      on: [on],
      filename: 'graph.json',
      source,
    });
    assert.equal(answer.status, 201, answer.text);
  },
);

/** But for their names, types and times. */
Then('the nodes {string} and {string} are shown alike', function (this: SvcWorld, one: string, other: string) {
  const { steps = [] } = this.answer!.json() as { steps?: Record<string, unknown>[] };
  const shapeOf = (name: string) => {
    const step = steps.find((each) => each.node === name);
    assert.ok(step, this.answer!.text);
    return Object.fromEntries(Object.entries(step).map(([key, value]) => [key, typeof value]));
  };
  assert.deepEqual(shapeOf(one), shapeOf(other));
});

When('the run of the project is looked at', async function (this: SvcWorld) {
  const answer = await this.call('GET', `${this.scoped}/runs`);
  const { runs } = answer.json() as { runs: { run_id: string }[] };
  assert.equal(runs.length, 1, answer.text);
  this.remember(runs[0]!.run_id);
});

interface ServerConnectors {
  connectors: { name: string; title: string }[];
  problems: { file: string; rule: string }[];
}

/** Servers look at their folders from time to time, so that a change takes a moment. */
const soon = (world: SvcWorld, what: string, holds: (of: ServerConnectors) => boolean): Promise<unknown> =>
  until(what, 60_000, async () => {
    const answer = await world.call('GET', `${world.scoped}/connectors?limit=200`);
    return holds(answer.json() as ServerConnectors) || undefined;
  });

Then(
  'the server soon shows the connector {string} as {string}',
  async function (this: SvcWorld, name: string, title: string) {
    const isShown = ({ connectors }: ServerConnectors) =>
      connectors.some((one) => one.name === name && one.title === title);
    await soon(this, `the connector ${name}: ${title}`, isShown);
  },
);

Then('the server soon shows no connector {string}', async function (this: SvcWorld, name: string) {
  await soon(this, `no connector ${name}`, ({ connectors }) => connectors.every((one) => one.name !== name));
});

Then(
  'the server soon reports the connector file {string} with the rule {string}',
  async function (this: SvcWorld, file: string, rule: string) {
    const isReported = ({ problems }: ServerConnectors) =>
      problems.some((one) => one.file === file && one.rule === rule);
    await soon(this, `${file}: ${rule}`, isReported);
  },
);

When('I remove the file {string}', async function (this: SvcWorld, name: string) {
  await rm(join(this.folder, name));
});
