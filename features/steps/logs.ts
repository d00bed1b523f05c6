import assert from 'node:assert/strict';
import { Then, When } from '@cucumber/cucumber';
import { Service } from '../support/process.ts';
import { svcProgram } from '../support/target.ts';
import type { SvcWorld } from '../support/world.ts';
import { words } from './cli.ts';

When('I start {string} as {string}', function (this: SvcWorld, line: string, name: string) {
  const [, ...args] = words(this.expand(line));
  this.services.set(name, new Service(svcProgram, args, { env: this.environment(), cwd: this.folder }));
});

/** On both streams, in any order: lines of different streams may come in any. */
Then('it printed the lines {string}', function (this: SvcWorld, lines: string) {
  const { stdout = '', stderr = '' } = this.cli ?? {};
  const printed = `${stdout}${stderr}`.split('\n').filter((line) => line !== '');
  assert.deepEqual(printed.toSorted(), lines === '' ? [] : lines.split(', ').toSorted());
});

Then('the first line of standard output is JSON with {string}', function (this: SvcWorld, members: string) {
  const [first = ''] = (this.cli?.stdout ?? '').split('\n');
  const line = JSON.parse(first) as Record<string, unknown>;
  assert.match(String(line.at), /^20\d\d-.*Z$/);
  const wanted = members.split(', ').map((pair) => pair.split('=') as [string, string]);
  for (const [name, value] of wanted) assert.equal(String(line[name]), value, first);
});

When('I call the status of the run by the end of its id', async function (this: SvcWorld) {
  await this.svc(['status', this.expand('{run}').slice(-10)]);
});
