import assert from 'node:assert/strict';
import { Given, When } from '@cucumber/cucumber';
import { AwsFarEnd, GcpFarEnd, VaultFarEnd } from '../../test/far-ends/secret-stores.ts';
import { FarEnd } from '../support/far-end.ts';
import type { SvcWorld } from '../support/world.ts';

/*
 * Secret stores of the scenario, at `{far}`. They check each request as the real ones do, and svc may reach them only on this
 * machine, so that scenarios with one have the tag `@far-end`.
 */
type Store = VaultFarEnd | AwsFarEnd | GcpFarEnd;
const ends = new WeakMap<SvcWorld, Store>();

async function open<One extends Store>(world: SvcWorld, make: new (end: FarEnd) => One): Promise<One> {
  world.needs('@far-end');
  const end = await FarEnd.open();
  world.cleanups.push(() => end.close());
  world.notes.set('far', end.url(''));
  const store = new make(end);
  ends.set(world, store);
  return store;
}

const storeOf = (world: SvcWorld): Store => {
  const store = ends.get(world);
  assert.ok(store, 'the scenario has a secret store');
  return store;
};

Given('a Vault with a token', async function (this: SvcWorld) {
  await open(this, VaultFarEnd);
  await this.file('vault.token', 'hvs.root-canary\n');
});

Given('a Vault with an AppRole login', async function (this: SvcWorld) {
  const vault = await open(this, VaultFarEnd);
  await this.file('secret.id', `${vault.role.secret_id}\n`);
});

Given('an AWS Secrets Manager', async function (this: SvcWorld) {
  const aws = await open(this, AwsFarEnd);
  await this.file('aws.key', aws.keys.secret_access_key);
});

Given('a Google Secret Manager', async function (this: SvcWorld) {
  const gcp = await open(this, GcpFarEnd);
  await this.file('key.json', gcp.service_account);
});

Given('it has {string} at {string}', function (this: SvcWorld, value: string, path: string) {
  storeOf(this).secrets.set(path, value.startsWith('{') ? (JSON.parse(value) as Record<string, unknown>) : value);
});

When('the secret store is down', function (this: SvcWorld) {
  storeOf(this).fault = () => ({ status: 503, json: { errors: ['sealed'] } });
});

When('the secret store works again', function (this: SvcWorld) {
  storeOf(this).fault = undefined;
});

Given(
  'the secret {string} is {string} of the store {string}',
  async function (this: SvcWorld, name: string, reference: string, store: string) {
    const [path, field] = reference.split('#');
    const answer = await this.call('PUT', `${this.scoped}/secrets/${name}`, { from: { store, path, field } });
    assert.ok(answer.status < 300, answer.text);
  },
);
