import { createHash, randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { type DataTable, Given, Then, When } from '@cucumber/cucumber';
import { FarEnd, type Seen, send } from '../support/far-end.ts';
import { until } from '../support/process.ts';
import { settles } from '../support/settled.ts';
import { assertMatches } from '../support/text.ts';
import type { SvcWorld } from '../support/world.ts';

/*
 * A far end is an HTTP server of the scenario, at `{far}`. It keeps what it is asked. The servers of scenarios may reach
 * 127.0.0.1; somebody else's server may not, so that scenarios with one have the tag `@far-end`.
 */
const ends = new WeakMap<SvcWorld, FarEnd>();

/** Requests that wait for their answer. */
const held = new WeakMap<SvcWorld, ServerResponse[]>();

const seenBy = (world: SvcWorld): Seen[] => {
  const end = ends.get(world);
  assert.ok(end, 'the scenario has a far end');
  return end.seen;
};

const request = (world: SvcWorld, nth: number): Seen => {
  const seen = seenBy(world)[nth - 1];
  assert.ok(seen, `${seenBy(world).length} requests came`);
  return seen;
};

async function open(world: SvcWorld): Promise<FarEnd> {
  world.needs('@far-end');
  const end = await FarEnd.open();
  ends.set(world, end);
  world.cleanups.push(() => end.close());
  world.notes.set('far', end.url(''));
  return end;
}

/** Answers everything with an empty JSON object. */
Given('a far end', async function (this: SvcWorld) {
  (await open(this)).reply = (_seen, response) => send(response, 200, { 'content-type': 'application/json' }, '{}');
});

interface Row {
  path: string;
  status: string;
  type?: string;
  body?: string;
  headers?: string;
}

/**
 * Columns: `path`, `status`, `type`, `body`, `headers` (JSON). Rows of one path are answered in turn, the last one for
 * ever. A status that is no number breaks the connection.
 */
Given('a far end that answers:', async function (this: SvcWorld, table: DataTable) {
  const rows = table.hashes() as unknown as Row[];
  const asked = new Map<string, number>();
  (await open(this)).reply = ({ path }, response) => {
    const known = path.split('?', 1)[0]!;
    const own = rows.filter((row) => row.path === known);
    const nth = asked.get(known) ?? 0;
    asked.set(known, nth + 1);
    const row = own[Math.min(nth, own.length - 1)];
    if (!row) return send(response, 404, {}, `nothing is at ${path}`);
    if (!/^\d+$/.test(row.status)) return void response.destroy();
    const headers = { ...(row.type && { 'content-type': row.type }), ...JSON.parse(row.headers || '{}') };
    return send(response, Number(row.status), headers, row.body?.replaceAll('\\n', '\n'));
  };
});

Given('a far end that answers {int} bytes', async function (this: SvcWorld, count: number) {
  // Compression halves it, as it does with much of what people send.
  const body = Buffer.alloc(count, randomBytes(Math.min(count, 1 << 20)).toString('hex'));
  this.notes.set('digest', createHash('sha256').update(body).digest('hex'));
  (await open(this)).reply = (_seen, response) => send(response, 200, { 'content-encoding': 'gzip' }, gzipSync(body));
});

Given('a far end that answers nothing', async function (this: SvcWorld) {
  const waiting: ServerResponse[] = [];
  held.set(this, waiting);
  (await open(this)).reply = (_seen, response) => void waiting.push(response);
});

When('the far end answers again', function (this: SvcWorld) {
  ends.get(this)!.reply = (_seen, response) => send(response, 200, { 'content-type': 'application/json' }, '{}');
  for (const response of held.get(this) ?? []) send(response, 200, { 'content-type': 'application/json' }, '{}');
});

Then('the far end sees the connection close', async function (this: SvcWorld) {
  await until('the connection to close', 30_000, async () => held.get(this)?.[0]?.destroyed || undefined);
});

When('I run the node {string} with:', async function (this: SvcWorld, node: string, config: string) {
  await this.submit({ node, config: JSON.parse(this.expand(config)) as object });
});

When('I run the graph:', async function (this: SvcWorld, document: string) {
  const graph = { version: 'svc-graph/v1', edges: [], ...(JSON.parse(this.expand(document)) as object) };
  await this.submit({ filename: 'graph.json', source: JSON.stringify(graph) });
});

When('I save the graph {string}:', async function (this: SvcWorld, name: string, document: string) {
  const graph = { version: 'svc-graph/v1', edges: [], ...(JSON.parse(this.expand(document)) as object) };
  await this.request('PUT', `${this.scoped}/graphs/${name}`, graph);
});

Then('the far end gets {int} request(s)', async function (this: SvcWorld, count: number) {
  await settles(async () => seenBy(this).length, count);
});

Then('the far end got {int} request(s)', async function (this: SvcWorld, count: number) {
  await settles(async () => seenBy(this).length, count);
});

/** Columns: `method`, `path`, `body`, or a name of a header (`-` for none); only those that it has are compared. */
Then('the far end got:', function (this: SvcWorld, table: DataTable) {
  const [head = []] = table.raw();
  const shown = seenBy(this).map((seen) => head.map((column) => cell(seen, column)));
  assert.deepEqual(
    shown,
    table.rows().map((row) => row.map((text) => this.expand(text))),
  );
});

Then('the far end got in any order:', function (this: SvcWorld, table: DataTable) {
  const [head = []] = table.raw();
  const shown = seenBy(this).map((seen) => head.map((column) => cell(seen, column)));
  assert.deepEqual(
    shown.toSorted(),
    table
      .rows()
      .map((row) => row.map((text) => this.expand(text)))
      .toSorted(),
  );
});

function cell(seen: Seen, column: string): string {
  if (column === 'method' || column === 'path' || column === 'body') return seen[column];
  const value = seen.headers[column.toLowerCase()];
  return value === undefined ? '-' : String(value);
}

Then('all requests have the same {string}', function (this: SvcWorld, header: string) {
  const values = seenBy(this).map((seen) => cell(seen, header));
  assert.notEqual(values[0], '-');
  assert.deepEqual([...new Set(values)], [values[0]]);
});

Then(
  '{string} of request {int} matches {string}',
  function (this: SvcWorld, column: string, nth: number, text: string) {
    const found = cell(request(this, nth), column);
    assert.notEqual(found, '-', `the request has no ${column}`);
    assertMatches(found, this.expand(text));
  },
);

Then(
  'request {int} came at least {int} ms after the one before it',
  function (this: SvcWorld, nth: number, least_ms: number) {
    const gap_ms = request(this, nth).at_ms - request(this, nth - 1).at_ms;
    assert.ok(gap_ms >= least_ms, `it came after ${Math.round(gap_ms)} ms`);
  },
);

/** Everything that people can read of the run, and its graph if it is stored. */
Then('nobody can read {string} anywhere in the run', async function (this: SvcWorld, secret: string) {
  const run = `${this.scoped}/runs/${this.run_id}`;
  for (const path of [run, `${run}/steps`, `${run}/logs`, `${this.scoped}/events?limit=200`, `${this.scoped}/runs`]) {
    const { status, text } = await this.call('GET', path);
    assert.equal(status, 200, `${path}: ${text}`);
    assert.ok(!text.includes(this.expand(secret)), `${path} shows it: ${text}`);
  }
});

When(
  'the kind of the credential {string} is changed to {string}',
  async function (this: SvcWorld, name: string, body: string) {
    const answer = await this.call('PUT', `${this.scoped}/credentials/${name}`, JSON.parse(body));
    assert.equal(answer.status, 200, answer.text);
  },
);
