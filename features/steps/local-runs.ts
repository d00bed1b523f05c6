import assert from 'node:assert/strict';
import { Then, When } from '@cucumber/cucumber';
import { assertMatches } from '../support/text.ts';
import type { SvcWorld } from '../support/world.ts';
import { at, words } from './cli.ts';

/** As a person on this machine who has only that folder. */
When('I call {string} in the folder {string}', async function (this: SvcWorld, line: string, folder: string) {
  const [, ...args] = words(this.expand(line));
  const env = { SVC_URL: '', SVC_TOKEN: '', SVC_ORG: '', SVC_PROJECT: '' };
  await this.svc(args, { cwd: this.expand(folder), env });
});

/** What the command printed becomes a file. */
When('I keep standard output as {string}', async function (this: SvcWorld, name: string) {
  await this.file(name, this.cli?.stdout ?? '');
});

/** Without its ids and times. */
Then('standard output is JSON whose {string} is that of the run', async function (this: SvcWorld, path: string) {
  const here = at(JSON.parse(this.cli?.stdout ?? ''), path);
  assert.ok(here !== undefined, `there is no ${path}`);
  assert.deepEqual(here, at(await this.run(), path));
});

Then('the file {string} holds {string}', async function (this: SvcWorld, name: string, text: string) {
  assert.equal((await this.readText(name)).trimEnd(), this.expand(text));
});

/** On either stream, line by line. */
Then('the log that it printed has {string}', function (this: SvcWorld, pattern: string) {
  assert.ok(this.cli, 'a command was called');
  assertMatches(`${this.cli.stdout}${this.cli.stderr}`, pattern, 'm');
});

/** Of the record that the command printed. */
Then('the run took {int} days by its own times', function (this: SvcWorld, days: number) {
  const { started_at, finished_at } = JSON.parse(this.cli?.stdout ?? '') as { started_at: string; finished_at: string };
  const took = (Date.parse(finished_at) - Date.parse(started_at)) / 86_400_000;
  assert.equal(Math.floor(took), days, `${started_at} to ${finished_at}`);
});
