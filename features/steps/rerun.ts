import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Given, Then, When } from '@cucumber/cucumber';
import type { SvcWorld } from '../support/world.ts';

async function rerun(world: SvcWorld, body: object, name?: string): Promise<void> {
  const answer = await world.call('POST', `${world.scoped}/runs/${world.run_id}/rerun`, body);
  assert.equal(answer.status, 201, answer.text);
  world.remember((answer.json() as { run_id: string }).run_id, name);
}

When('I rerun it as {string}', async function (this: SvcWorld, name: string) {
  await rerun(this, {}, name);
});

When('I rerun it from {string} as {string}', async function (this: SvcWorld, from: string, name: string) {
  await rerun(this, { from }, name);
});

When('I rerun it with the input {string}', async function (this: SvcWorld, input: string) {
  await rerun(this, { input: JSON.parse(input) as unknown });
});

When('I rerun it from {string} with the input {string}', async function (this: SvcWorld, from: string, input: string) {
  await rerun(this, { from, input: JSON.parse(input) as unknown });
});

Then('the run that was printed succeeds', async function (this: SvcWorld) {
  await this.reaches('succeeded', this.cli?.stdout.trim());
});

Given('the file {string} is kept as {string}', async function (this: SvcWorld, name: string, kept: string) {
  await writeFile(join(this.folder, kept), await this.readText(name));
});

Then('the file {string} is the same as {string}', async function (this: SvcWorld, name: string, kept: string) {
  const [one, other] = await Promise.all([name, kept].map((file) => this.readText(file)));
  assert.equal(one, other);
});

Given('the run id of {string} is noted as {string}', function (this: SvcWorld, name: string, note: string) {
  const run_id = this.runs.get(name);
  assert.ok(run_id, `no run is called ${name}`);
  this.notes.set(note, run_id);
});

Then('{string} soon prints {string}', async function (this: SvcWorld, name: string, text: string) {
  await this.services.get(name)!.says(new RegExp(text));
});
