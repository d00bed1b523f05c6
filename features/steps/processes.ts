import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type DataTable, Given, Then, When } from '@cucumber/cucumber';
import { Service, until } from '../support/process.ts';
import { tablesHolding } from '../../test/support/stored-rows.ts';
import { emptyDatabase } from '../support/own-database.ts';
import { clone, svcProgram } from '../support/target.ts';
import type { SvcWorld } from '../support/world.ts';
import { words } from './cli.ts';

/** A table of settings, name and value; an empty value takes the variable away. */
const settings = (world: SvcWorld, table: DataTable) =>
  Object.fromEntries(table.raw().map(([name = '', value = '']) => [name, world.expand(value)]));

const named = (world: SvcWorld, name: string): Service => {
  const service = world.services.get(name);
  assert.ok(service, `no process is called ${name}`);
  return service;
};

/** Noted as `{database}`; on the kind of store that the features run on. */
Given('an empty database', async function (this: SvcWorld) {
  const database = await emptyDatabase(this.folder);
  this.cleanups.push(database.drop);
  this.notes.set('database', database.url);
});

Given('the clone is noted as {string}', function (this: SvcWorld, name: string) {
  this.notes.set(name, clone);
});

Given('a server and an agent of their own with:', async function (this: SvcWorld, table: DataTable) {
  const env = settings(this, table);
  const own = await this.startOwn({ env, agents: 0 });
  // A failure from here on is cleaned up with the scenario.
  await own.startAgent('agent-0', { env });
  await this.moveTo(this.privateTarget!);
});

/** The one that the run was told of, or a server of the scenario's own. */
Given('a server with a public address, noted as {string}', async function (this: SvcWorld, note: string) {
  const told = process.env.SVC_CONFORMANCE_PUBLIC_URL;
  this.notes.set(note, told || 'https://svc.example');
  if (told) return;
  await this.startOwn({ env: { SVC_PUBLIC_URL: 'https://svc.example' }, agents: 1 });
  await this.moveTo(this.privateTarget!);
});

When('I call {string} with the settings:', async function (this: SvcWorld, line: string, table: DataTable) {
  const [, ...args] = words(this.expand(line));
  await this.svc(args, { env: settings(this, table) });
});

When(
  'I start {string} as {string} with the settings:',
  async function (this: SvcWorld, line: string, name: string, table: DataTable) {
    const [, ...args] = words(this.expand(line));
    const { PATH = '' } = process.env;
    const env = { PATH, HOME: this.folder, LANG: 'C.UTF-8', ...settings(this, table) };
    this.services.set(name, new Service(svcProgram, args, { env, cwd: this.folder }));
  },
);

/** What the first group of the pattern holds is noted under the process's name. */
Then('{string} says {string}', async function (this: SvcWorld, name: string, pattern: string) {
  const [, found] = await named(this, name).says(new RegExp(this.expand(pattern)));
  if (found !== undefined) this.notes.set(name, found);
});

When('{string} gets the signal {string}', async function (this: SvcWorld, name: string, signal: string) {
  await named(this, name).kill(signal as NodeJS.Signals);
});

Then('{string} ends with {int}', async function (this: SvcWorld, name: string, exit: number) {
  const service = named(this, name);
  await until(`${name} to end`, 30_000, async () => !service.running || undefined);
  assert.equal(service.child.exitCode, exit, service.log);
});

Then('the log of {string} has {string}', function (this: SvcWorld, name: string, text: string) {
  assert.ok(named(this, name).log.includes(this.expand(text)), named(this, name).log);
});

When(
  'I set the secret {string} to {string} at {string} with the token {string}',
  async function (this: SvcWorld, name: string, value: string, server: string, token: string) {
    const url = `${this.expand(server)}/api/v1/orgs/acme/projects/main/secrets/${name}`;
    const headers = { authorization: `Bearer ${this.expand(token)}`, 'content-type': 'application/json' };
    const answer = await fetch(url, { method: 'PUT', headers, body: JSON.stringify({ value }) });
    assert.ok(answer.ok, await answer.text());
  },
);

Then('no table of {string} holds {string}', async function (this: SvcWorld, database: string, text: string) {
  assert.deepEqual(await tablesHolding(this.expand(database), text), []);
});

Given('a master key noted as {string}', function (this: SvcWorld, note: string) {
  this.notes.set(note, randomBytes(32).toString('base64'));
});

Given('the port of the server is noted as {string}', function (this: SvcWorld, note: string) {
  this.notes.set(note, new URL(this.target.base_url).port);
});

Then('{string} stands before {string} in it', function (this: SvcWorld, first: string, second: string) {
  const places = [first, second].map((name) => this.cli?.stdout.search(new RegExp(`^ *\\d+\\. ${name} `, 'm')) ?? -1);
  assert.ok(places[0]! >= 0 && places[0]! < places[1]!, this.cli?.stdout);
});
