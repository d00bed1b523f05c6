import assert from 'node:assert/strict';
import { type DataTable, Given, Then, When } from '@cucumber/cucumber';
import { until } from '../support/process.ts';
import { settles } from '../support/settled.ts';
import type { RunView, SvcWorld } from '../support/world.ts';
import { at } from './cli.ts';

const graphOf = (world: SvcWorld, document: string): object => ({
  version: 'svc-graph/v1',
  edges: [],
  ...(JSON.parse(world.expand(document)) as object),
});

When(
  'I submit over HTTP the graph with the input {string}:',
  async function (this: SvcWorld, input: string, document: string) {
    const source = JSON.stringify(graphOf(this, document));
    await this.submit({ filename: 'graph.json', source, input: JSON.parse(this.expand(input)) as object });
  },
);

When('I run the stored graph {string} with {string}', async function (this: SvcWorld, graph: string, input: string) {
  await this.submit({ graph, input: JSON.parse(this.expand(input)) as object }, graph);
});

/** Notes the address of its first webhook as `{ingest}`, and the secret as `{secret}`. */
Given('the published graph {string}:', async function (this: SvcWorld, name: string, document: string) {
  const saved = await this.call('PUT', `${this.scoped}/graphs/${name}`, graphOf(this, document));
  assert.ok(saved.status < 300, saved.text);
  const published = await this.call('POST', `${this.scoped}/graphs/${name}/publish`, {});
  assert.equal(published.status, 200, published.text);
  const { triggers } = published.json() as { triggers: { ingest_url?: string; secret?: string }[] };
  for (const { ingest_url, secret } of triggers) {
    if (ingest_url !== undefined) this.notes.set('ingest', ingest_url);
    if (secret !== undefined) this.notes.set('secret', secret);
  }
});

Then('{string} of the run is:', async function (this: SvcWorld, path: string, text: string) {
  const { status, text: body, json } = await this.call('GET', `${this.scoped}/runs/${this.run_id}`);
  assert.equal(status, 200, body);
  assert.equal(at(json(), path), text);
});

/** The entries of a report by node. */
Then('the requirements of {string} are:', async function (this: SvcWorld, graph: string, table: DataTable) {
  const { text, json } = await this.call('GET', `${this.scoped}/graphs/${graph}/requirements`);
  const { credentials } = json() as { credentials: Record<string, string>[] };
  const wanted = table.hashes().map((row) => Object.fromEntries(Object.entries(row).filter(([, cell]) => cell !== '')));
  assert.deepEqual(credentials, wanted, text);
});

/** The runs that a run has called. */
async function itemsOf(world: SvcWorld): Promise<(RunView & { workflow: string; parent?: string })[]> {
  const answer = await world.call('GET', `${world.scoped}/runs?limit=200`);
  assert.equal(answer.status, 200, answer.text);
  const { runs } = answer.json() as { runs: (RunView & { workflow: string; parent?: string })[] };
  return runs.filter(({ parent }) => parent === world.run_id);
}

Then('the items of the run are {string}', async function (this: SvcWorld, statuses: string) {
  const found = async () =>
    (await itemsOf(this))
      .map(({ status }) => status)
      .toSorted()
      .join(' ');
  await settles(found, statuses, 60_000);
});

When(
  'the item {string} of the run gets the signal {string}',
  async function (this: SvcWorld, workflow: string, signal: string) {
    const item = (await itemsOf(this)).find((run) => run.workflow === workflow);
    assert.ok(item, `the run has no item ${workflow}`);
    const answer = await this.call('POST', `${this.scoped}/runs/${item.run_id}/signals/${signal}`, { payload: null });
    assert.ok(answer.status < 300, answer.text);
  },
);

/** Each listener of the last event ended well. */
Then('the runs {string} soon succeed', async function (this: SvcWorld, names: string) {
  for (const name of names.split(', '))
    await until(`${name} to succeed`, 60_000, async () => {
      const answer = await this.call('GET', `${this.scoped}/runs/${this.runs.get(name)}`);
      return (answer.json() as { status: string }).status === 'succeeded' || undefined;
    });
});
