import assert from 'node:assert/strict';
import { chmod, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Given, Then, When } from '@cucumber/cucumber';
import type { SvcWorld } from '../support/world.ts';
import { words } from './cli.ts';

/** What names a server, a token and a place in it, taken away: the profile has to. */
const nowhere = { SVC_URL: '', SVC_TOKEN: '', SVC_ORG: '', SVC_PROJECT: '', SVC_PROFILE: '' };

const call = (world: SvcWorld, line: string, env: Record<string, string> = {}) =>
  world.svc(words(world.expand(line)).slice(1), { env: { ...nowhere, ...env } });

const login = (world: SvcWorld, flags: string, stdin: string) => {
  const place = flags.includes('--org') ? '' : ' --org {org} --project {project}';
  const args = words(world.expand(`login --url {base_url} ${flags}${place}`));
  return world.svc(args, { env: nowhere, stdin });
};

Given('a file {string} with my token', async function (this: SvcWorld, name: string) {
  await writeFile(join(this.folder, name), `${this.target.token}\n`);
});

When('I log in with {string} and the token on standard input', async function (this: SvcWorld, flags: string) {
  await login(this, flags, `${this.target.token}\n`);
});

When('I log in with {string} and nothing on standard input', async function (this: SvcWorld, flags: string) {
  this.notes.set('my_token', this.target.token);
  await login(this, flags, '');
});

When(
  'I log in with {string} and {string} on standard input',
  async function (this: SvcWorld, flags: string, stdin: string) {
    await login(this, flags, stdin);
  },
);

When("I call {string} without the environment's target", async function (this: SvcWorld, line: string) {
  await call(this, line);
});

When(
  'I call {string} with only {string} set to {string}',
  async function (this: SvcWorld, line: string, name: string, value: string) {
    await call(this, line, { [name]: this.expand(value) });
  },
);

Then('standard output and error lack my token', function (this: SvcWorld) {
  assert.ok(this.cli && !(this.cli.stdout + this.cli.stderr).includes(this.target.token));
});

When('the profile is made readable by others', async function (this: SvcWorld) {
  await chmod(join(this.folder, '.config/svc/profile.json'), 0o644);
});

Then('the profile is readable by its owner only', async function (this: SvcWorld) {
  const { mode } = await stat(join(this.folder, '.config/svc/profile.json'));
  assert.equal(mode & 0o777, 0o600);
});
