import assert from 'node:assert/strict';
import { Given, Then } from '@cucumber/cucumber';
import { asText } from '../support/text.ts';
import type { SvcWorld } from '../support/world.ts';
import { at } from './cli.ts';

Given('the secret {string} is:', async function (this: SvcWorld, name: string, value: string) {
  const answer = await this.call('PUT', `${this.scoped}/secrets/${name}`, { value });
  assert.ok(answer.status < 300, answer.text);
});

Then('{string} of the run lacks {string}', async function (this: SvcWorld, path: string, text: string) {
  const found = asText(at(await this.run(), path));
  assert.ok(!found.includes(text), `"${text}" is in: ${found}`);
});

Then('the steps lack {string}', async function (this: SvcWorld, text: string) {
  const found = JSON.stringify(await this.steps());
  assert.ok(!found.includes(text), `"${text}" is in: ${found}`);
});
