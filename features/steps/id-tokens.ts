import assert from 'node:assert/strict';
import { type DataTable, Given, Then, When } from '@cucumber/cucumber';
import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose';
import { allowInsecureRequests, discoveryRequest, processDiscoveryResponse } from 'oauth4webapi';
import { freePort } from '../support/free-port.ts';
import type { SvcWorld } from '../support/world.ts';
import { words } from './cli.ts';

Given('a server that issues ID tokens', async function (this: SvcWorld) {
  const port = await freePort();
  const env = { SVC_ID_TOKENS: 'on', SVC_PORT: String(port), SVC_PUBLIC_URL: `http://127.0.0.1:${port}` };
  await this.startOwn({ env, agents: 1 });
  await this.moveTo(this.privateTarget!);
});

async function tokenIn(world: SvcWorld, name: string, line: number): Promise<string> {
  const token = (await world.readText(name)).split('\n')[line - 1];
  assert.ok(token, `the file ${name} has no line ${line}`);
  return token;
}

/** Verifies a token as a relying party does: it discovers the issuer, and reads the keys that this publishes. */
async function verified(world: SvcWorld, token: string, audience?: string): Promise<JWTPayload> {
  const address = new URL(world.target.base_url);
  const answer = await discoveryRequest(address, { [allowInsecureRequests]: true });
  const { issuer, jwks_uri } = await processDiscoveryResponse(address, answer);
  const keys = createRemoteJWKSet(new URL(jwks_uri!));
  const expected = { issuer, algorithms: ['RS256'], ...(audience === undefined ? {} : { audience }) };
  return (await jwtVerify(token, keys, expected)).payload;
}

/** An empty value: the token has no such claim. */
Then(
  'line {int} of the file {string} is an ID token for {string} with:',
  async function (this: SvcWorld, line: number, name: string, audience: string, table: DataTable) {
    const claims = await verified(this, await tokenIn(this, name, line), audience);
    for (const [claim = '', value = ''] of table.raw())
      assert.equal(String(claims[claim] ?? ''), this.expand(value), `${claim} of ${JSON.stringify(claims)}`);
  },
);

Then(
  'no key of the server verifies line {int} of the file {string}',
  async function (this: SvcWorld, line: number, name: string) {
    await assert.rejects(verified(this, await tokenIn(this, name, line)), errors.JWKSNoMatchingKey);
  },
);

/** Also not the part of a token without which it proves nothing. */
Then(
  'nobody can read the ID tokens of the file {string} anywhere in the run',
  async function (this: SvcWorld, name: string) {
    const signatures = (await this.readText(name))
      .trim()
      .split('\n')
      .map((token) => token.split('.')[2]!);
    const run = `${this.scoped}/runs/${this.run_id}`;
    for (const path of [
      run,
      `${run}/steps`,
      `${run}/logs`,
      `${this.scoped}/events?limit=200`,
      `${this.scoped}/audit`,
    ]) {
      const { status, text } = await this.call('GET', path);
      assert.equal(status, 200, `${path}: ${text}`);
      for (const signature of signatures) assert.ok(!text.includes(signature), `${path} shows it: ${text}`);
    }
  },
);

When('I call {string} for the database of that server', async function (this: SvcWorld, line: string) {
  const { own } = this.target;
  assert.ok(own, 'the scenario has a server of its own');
  const [, ...args] = words(this.expand(line));
  await this.svc(args, { env: own.env });
});
