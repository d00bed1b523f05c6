import assert from 'node:assert/strict';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { type DataTable, Given, Then, When } from '@cucumber/cucumber';
import type { Service } from '../support/process.ts';
import type { SvcWorld } from '../support/world.ts';
import { at } from './cli.ts';

/*
 * Agents of a scenario's own (`@own-agent`) join the server under test from this machine. They alone have the project's name
 * as a capability, so what asks for it runs there. They go away with the scenario.
 */

async function startAgent(world: SvcWorld, env: Record<string, string> = {}): Promise<void> {
  const { agents } = world.target;
  const agent = await agents.start(`agent-of-${world.project}`, {
    args: ['--cap', world.project],
    env: { TMPDIR: world.folder, ...env },
  });
  world.cleanups.push(() => agents.stop(agent));
}

async function agentsOf(world: SvcWorld) {
  const answer = await world.call('GET', '/api/v1/agents?limit=200');
  return (answer.json() as { agents: { agent_id: string; name: string; pid: number; state: string }[] }).agents;
}

Given('{int} agent(s) of its own', async function (this: SvcWorld, count: number) {
  this.needs('@own-agent');
  await Promise.all(Array.from({ length: count }, () => startAgent(this)));
});

Given('an agent of its own with the environment:', async function (this: SvcWorld, table: DataTable) {
  this.needs('@own-agent');
  await startAgent(this, Object.fromEntries(table.raw().map(([name = '', value = '']) => [name, this.expand(value)])));
});

Given(
  'a program {string} first on the path of an agent of its own:',
  async function (this: SvcWorld, name: string, source: string) {
    this.needs('@own-agent');
    await chmod(await this.file(`programs/${name}`, `${source}\n`), 0o755);
    await startAgent(this, { PATH: `${join(this.folder, 'programs')}:${process.env.PATH ?? ''}` });
  },
);

Given('a worker of its own with the file {string}:', async function (this: SvcWorld, name: string, source: string) {
  this.needs('@own-agent');
  const { agents } = this.target;
  const worker = await agents.start(`worker-of-${this.project}`, {
    command: 'worker',
    args: [await this.file(name, `${source}\n`)],
    env: { TMPDIR: this.folder },
  });
  this.cleanups.push(() => agents.stop(worker));
});

When(
  /^I submit the script "([^"]*)" to (?:that agent|those agents):$/,
  async function (this: SvcWorld, filename: string, source: string) {
    await this.submit({ filename, source: `${this.expand(source)}\n`, requires: [this.project] });
  },
);

const processIn = async (world: SvcWorld, name: string) => Number(await world.readText(name));

async function signalAgent(world: SvcWorld, name: string, signal: NodeJS.Signals): Promise<void> {
  const pid = await processIn(world, name);
  const agent: Service | undefined = world.target.agents.started.find(({ child }) => child.pid === pid);
  assert.ok(agent, `${pid} is not an agent of ours`);
  await agent.kill(signal);
}

When('I kill the agent whose process is in the file {string}', function (this: SvcWorld, name: string) {
  return signalAgent(this, name, 'SIGKILL');
});

When('the agent whose process is in the file {string} stands still', function (this: SvcWorld, name: string) {
  return signalAgent(this, name, 'SIGSTOP');
});

When('the agent whose process is in the file {string} goes on', function (this: SvcWorld, name: string) {
  return signalAgent(this, name, 'SIGCONT');
});

/** `@own-server` scenarios only: nobody else's server is killed. */
When('the server is killed', async function (this: SvcWorld) {
  assert.ok(this.privateTarget?.own, 'the scenario has a server of its own');
  await this.privateTarget.own.server.kill('SIGKILL');
});

When('the server is started again', async function (this: SvcWorld) {
  assert.ok(this.privateTarget?.own, 'the scenario has a server of its own');
  const { service } = await this.privateTarget.own.startServer();
  this.privateTarget.own.server = service;
});

Then(
  '{string} and {string} of the run are the id and the process of an agent that is online',
  async function (this: SvcWorld, id: string, pid: string) {
    const run = await this.run();
    const agent = (await agentsOf(this)).find(({ agent_id }) => agent_id === at(run, id));
    assert.deepEqual({ pid: agent?.pid, state: agent?.state }, { pid: at(run, pid), state: 'online' });
  },
);

Then('the error of the run names the agent', async function (this: SvcWorld) {
  const { error } = await this.run();
  const agents = (await agentsOf(this)).filter(({ state }) => state === 'online');
  assert.ok(
    agents.some(({ name }) => error?.message.includes(`"${name}"`) || error?.message.includes(` ${name}`)),
    `${JSON.stringify(agents.map(({ name }) => name))} not in: ${error?.message}`,
  );
});
