import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Given, Then, When } from '@cucumber/cucumber';
import { until } from '../support/process.ts';
import type { SvcWorld } from '../support/world.ts';

const fresh = (prefix: string) => `${prefix}-${randomBytes(6).toString('hex')}`;

/** Makes what `path` names and notes the last name of it. */
async function make(world: SvcWorld, path: string, note: string): Promise<void> {
  const answer = await world.call('PUT', path, {});
  assert.equal(answer.status, 201, answer.text);
  world.notes.set(note, path.split('/').at(-1) ?? '');
}

Given('another project noted as {string}', async function (this: SvcWorld, note: string) {
  await make(this, `/api/v1/orgs/${this.target.org}/projects/${fresh('p')}`, note);
});

Given('another org noted as {string}', async function (this: SvcWorld, note: string) {
  await make(this, `/api/v1/orgs/${fresh('o')}`, note);
});

Given(
  'another org noted as {string} with the project {string}',
  async function (this: SvcWorld, note: string, project: string) {
    await make(this, `/api/v1/orgs/${fresh('o')}`, note);
    await make(this, `/api/v1/orgs/${this.notes.get(note)}/projects/${project}`, 'rival_project');
  },
);

/** The body of POST /api/v1/tokens but for its name; the token is noted, and its id as `<note>_id`. */
Given('a token noted as {string} with:', async function (this: SvcWorld, note: string, body: string) {
  const wish = JSON.parse(this.expand(body)) as object;
  const answer = await this.call('POST', '/api/v1/tokens', { name: fresh('t'), ...wish });
  assert.equal(answer.status, 201, answer.text);
  const { token, id } = answer.json() as { token: string; id: string };
  this.notes.set(note, token).set(`${note}_id`, id);
});

When('every agent is stopped', async function (this: SvcWorld) {
  const own = this.target.own;
  assert.ok(own, 'only the agents of an own server can be stopped');
  for (const agent of own.agents.splice(0)) await agent.kill('SIGTERM');
});

When('every agent is killed', async function (this: SvcWorld) {
  const own = this.target.own;
  assert.ok(own, 'only the agents of an own server can be killed');
  for (const agent of own.agents.splice(0)) await agent.kill('SIGKILL');
});

When('an agent {string} starts in the folder {string}', async function (this: SvcWorld, name: string, folder: string) {
  const cwd = join(this.folder, folder);
  await mkdir(cwd, { recursive: true });
  await this.target.own!.startAgent(name, { cwd });
});

Then('the file {string} has {string}', async function (this: SvcWorld, name: string, text: string) {
  const content = await this.readText(name);
  assert.ok(content.includes(this.expand(text)), content);
});

When('the token of the agents is revoked', async function (this: SvcWorld) {
  const { tokens } = (await this.call('GET', '/api/v1/tokens')).json() as { tokens: { id: string; kind: string }[] };
  const agents = tokens.filter(({ kind }) => kind === 'agent');
  assert.equal(agents.length, 1);
  assert.equal((await this.call('DELETE', `/api/v1/tokens/${agents[0]?.id}`)).status, 204);
});

Then('the agent ends with {int}', async function (this: SvcWorld, exit: number) {
  const [agent] = this.target.own?.agents ?? [];
  await until('the agent to end', 30_000, async () => (agent && !agent.running) || undefined);
  assert.equal(agent?.child.exitCode, exit, agent?.log);
});

Then('the log of the agent has {string}', function (this: SvcWorld, text: string) {
  const log = this.target.own?.agents[0]?.log ?? '';
  assert.ok(log.includes(text), log);
});
