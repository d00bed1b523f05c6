import assert from 'node:assert/strict';
import { type DataTable, Given, Then, When } from '@cucumber/cucumber';
import { Collector } from '../../test/support/collector/collector.ts';
import type { ReadSpan } from '../../test/support/collector/read-spans.ts';
import type { SvcWorld } from '../support/world.ts';
import { assertMatches } from '../support/text.ts';

const collectors = new WeakMap<SvcWorld, Collector>();

const ofRun = (world: SvcWorld): ReadSpan[] =>
  collectors.get(world)!.spans.filter(({ attributes }) => attributes['svc.run_id'] === world.run_id);

/** The spans of the run, when its own has come. */
async function traceOf(world: SvcWorld): Promise<ReadSpan[]> {
  const collector = collectors.get(world)!;
  await collector.until(() => ofRun(world).some(({ name }) => name.startsWith('run ')), 'the span of the run');
  return ofRun(world);
}

async function spanOf(world: SvcWorld, name: string): Promise<ReadSpan> {
  const span = (await traceOf(world)).find((one) => one.name === name);
  assert.ok(span, `no span ${name}`);
  return span;
}

/** Its address is `{collector}`. */
Given('a collector of traces', async function (this: SvcWorld) {
  const collector = await Collector.open();
  this.cleanups.push(() => collector.close());
  collectors.set(this, collector);
  this.notes.set('collector', collector.url);
});

When(
  'I submit the script {string} with the traceparent {string}:',
  async function (this: SvcWorld, filename: string, traceparent: string, source: string) {
    const body = { filename, source: this.expand(source) };
    const answer = await this.call('POST', `${this.scoped}/runs`, body, { traceparent });
    assert.equal(answer.status, 201, answer.text);
    this.remember((answer.json() as { run_id: string }).run_id);
  },
);

/** Each once, with the name of its parent; `-` for one that is not of the run. */
Then('the trace of the run has the spans:', async function (this: SvcWorld, table: DataTable) {
  const spans = await traceOf(this);
  const names = new Map(spans.map(({ span_id, name }) => [span_id, name]));
  const found = spans.map(({ name, parent }) => `${name} | ${names.get(parent ?? '') ?? '-'}`).sort();
  const wanted = table.hashes().map(({ span = '', parent = '' }) => `${span} | ${parent}`);
  assert.deepEqual(found, wanted.sort());
  assert.equal(new Set(spans.map(({ trace_id }) => trace_id)).size, 1);
});

Then(
  '{string} of the span {string} is {string}',
  async function (this: SvcWorld, name: string, span: string, value: string) {
    assert.equal(String((await spanOf(this, span)).attributes[name]), this.expand(value));
  },
);

/** As `traceparent` has it. */
Then('the span {string} is noted as {string}', async function (this: SvcWorld, name: string, note: string) {
  const { trace_id, span_id } = await spanOf(this, name);
  this.notes.set(note, `00-${trace_id}-${span_id}-01`);
});

Then(
  'the collector has a span {string} whose {string} matches {string}',
  async function (this: SvcWorld, name: string, attribute: string, pattern: string) {
    const { attributes } = await collectors.get(this)!.span(name, (span) => attribute in span.attributes);
    assertMatches(String(attributes[attribute]), this.expand(pattern));
  },
);

Then('no span holds {string}', function (this: SvcWorld, text: string) {
  assert.ok(!JSON.stringify(collectors.get(this)!.spans).includes(this.expand(text)));
});
