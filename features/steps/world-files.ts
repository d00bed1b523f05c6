import assert from 'node:assert/strict';
import { type DataTable, Then } from '@cucumber/cucumber';
import { settles } from '../support/settled.ts';
import { asText } from '../support/text.ts';
import type { SvcWorld } from '../support/world.ts';
import { at } from './cli.ts';

/** Rows of a path into it and the value there. */
Then('the file {string} is JSON with:', async function (this: SvcWorld, name: string, table: DataTable) {
  const content = JSON.parse(await this.readText(name)) as unknown;
  const shown = table.raw().map(([path = '']) => [path, asText(at(content, path))]);
  assert.deepEqual(
    shown,
    table.raw().map(([path = '', value = '']) => [path, this.expand(value)]),
  );
});

/** Side effects of scripts are lines in files of the scenario's folder: a ledger outside the system. */
const lines = async (world: SvcWorld, name: string) => {
  const text = (await world.read(name))?.toString() ?? '';
  // A blank line is a line; only what ends the last one begins none.
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
};

Then('the file {string} has {int} line(s)', async function (this: SvcWorld, name: string, count: number) {
  await settles(async () => (await lines(this, name)).length, count);
});

Then('the file {string} has {int} different line(s)', async function (this: SvcWorld, name: string, count: number) {
  await settles(async () => new Set(await lines(this, name)).size, count);
});

Then('the file {string} is:', async function (this: SvcWorld, name: string, text: string) {
  assert.equal((await lines(this, name)).join('\n'), this.expand(text));
});

/** Each line is a time in milliseconds, as `date +%s%3N` prints it. */
Then(
  'the times in the file {string} are at least {int} ms apart',
  async function (this: SvcWorld, name: string, least_ms: number) {
    const times = (await lines(this, name)).map(Number);
    assert.ok(times.length > 1, `${times.length} lines`);
    const gaps = times.slice(1).map((time, index) => time - times[index]!);
    assert.ok(
      gaps.every((gap) => gap >= least_ms),
      `gaps of ${gaps.join(', ')} ms`,
    );
  },
);

/** So many and no more, however soon they are there. */
Then('the file {string} soon has {int} line(s)', async function (this: SvcWorld, name: string, count: number) {
  await settles(async () => (await lines(this, name)).length, count);
});
