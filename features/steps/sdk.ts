import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Given, When } from '@cucumber/cucumber';
import { leftOut } from '../support/left-out.ts';
import type { SvcWorld } from '../support/world.ts';

const programs = join(import.meta.dirname, '../sdk/programs');
const others = join(import.meta.dirname, '../scripts/programs');

async function submit(world: SvcWorld, path: string, more: Record<string, unknown> = {}): Promise<void> {
  const source = world.expand(await readFile(path, 'utf8'));
  await world.submit({ filename: path.split('/').at(-1), source, ...more });
}

/** Programs of `features/sdk/programs`; `{folder}` and its like are expanded in them. */
When('I submit the SDK program {string}', async function (this: SvcWorld, name: string) {
  await submit(this, join(programs, name));
});

When('I submit the SDK program {string} to those agents', async function (this: SvcWorld, name: string) {
  await submit(this, join(programs, name), { requires: [this.project] });
});

When(
  'I submit the program {string} with the options {string}',
  async function (this: SvcWorld, name: string, options: string) {
    await submit(this, join(others, name), JSON.parse(options) as Record<string, unknown>);
  },
);

When('I look at the run noted as {string}', function (this: SvcWorld, note: string) {
  const run_id = this.notes.get(note);
  assert.ok(run_id, `nothing is noted as ${note}`);
  this.run_id = run_id;
});

/** Left out, and said so, where no agent that is online has the interpreter. */
Given('an agent has {string}', async function (this: SvcWorld, capability: string) {
  const answer = await this.call('GET', '/api/v1/agents?limit=200');
  const { agents } = answer.json() as { agents: { state: string; capabilities: string[] }[] };
  if (agents.some((one) => one.state === 'online' && one.capabilities.includes(capability))) return undefined;
  return leftOut(this, `programs of agents with ${capability}, which none has`, capability);
});
