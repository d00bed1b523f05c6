import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Then } from '@cucumber/cucumber';
import { until } from '../support/process.ts';
import type { SvcWorld } from '../support/world.ts';

/** Side effects of scripts are lines in files of the scenario's folder: a ledger outside the system. */
const lines = async (world: SvcWorld, name: string) => {
  const text = await readFile(join(world.folder, name), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return text.split('\n').filter((line) => line !== '');
};

Then('the file {string} has {int} line(s)', async function (this: SvcWorld, name: string, count: number) {
  assert.equal((await lines(this, name)).length, count);
});

Then('the file {string} has {int} different line(s)', async function (this: SvcWorld, name: string, count: number) {
  assert.equal(new Set(await lines(this, name)).size, count);
});

Then('the file {string} is:', async function (this: SvcWorld, name: string, text: string) {
  assert.equal((await lines(this, name)).join('\n'), this.expand(text));
});

Then('the file {string} soon has {int} line(s)', async function (this: SvcWorld, name: string, count: number) {
  await until(`${count} lines in ${name}`, 30_000, async () => (await lines(this, name)).length >= count || undefined);
});
