import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { Given, Then, When } from '@cucumber/cucumber';
import { until } from '../support/process.ts';
import { svcProgram } from '../support/target.ts';
import type { SvcWorld } from '../support/world.ts';
import { words } from './cli.ts';

const put = async (world: SvcWorld, path: string, body: unknown) => {
  const answer = await world.call('PUT', `${world.scoped}/${path}`, body);
  assert.ok(answer.status < 300, answer.text);
};

Given('the secret {string} is {string}', async function (this: SvcWorld, name: string, value: string) {
  await put(this, `secrets/${name}`, { value: this.expand(value) });
});

Given('the variable {string} is {string}', async function (this: SvcWorld, name: string, value: string) {
  await put(this, `vars/${name}`, { value });
});

Given('the variable {string} of the org is {string}', async function (this: SvcWorld, name: string, value: string) {
  const answer = await this.call('PUT', `/api/v1/orgs/${this.target.org}/vars/${name}`, { value });
  assert.ok(answer.status < 300, answer.text);
});

Given('the credential {string} is {string}', async function (this: SvcWorld, name: string, body: string) {
  await put(this, `credentials/${name}`, JSON.parse(body));
});

Given('a token of every role', async function (this: SvcWorld) {
  for (const role of ['viewer', 'member', 'admin']) {
    const wish = { name: `as-${role}`, org: this.target.org, project: this.project, role };
    const answer = await this.call('POST', '/api/v1/tokens', wish);
    assert.equal(answer.status, 201, answer.text);
    this.notes.set(role, (answer.json() as { token: string }).token);
  }
});

/** Commands that stand in the middle of reading their standard input. */
const held = new WeakMap<SvcWorld, ChildProcess>();

When(
  'I begin {string} with {string} on an open standard input',
  async function (this: SvcWorld, line: string, begin: string) {
    const [, ...args] = words(line);
    const child = spawn(svcProgram, args, {
      env: this.environment(),
      cwd: this.folder,
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    this.cleanups.push(async () => void child.kill('SIGKILL'));
    held.set(this, child);
    child.stdin!.write(begin);
    await until(
      'the command to run',
      10_000,
      async () => (await argumentsOf(`${child.pid}`)).includes(args[0]!) || undefined,
    );
  },
);

When('its standard input ends with {string}', async function (this: SvcWorld, rest: string) {
  const child = held.get(this)!;
  child.stdin!.end(rest);
  const [code] = (await once(child, 'close')) as [number];
  assert.equal(code, 0);
});

/** A process may end while it is looked at; then it shows nothing. */
const shownBy = (pid: string, file: string) => readFile(`/proc/${pid}/${file}`, 'latin1').catch(() => '');
const argumentsOf = (pid: string) => shownBy(pid, 'cmdline');

Then('no process shows {string} in its arguments or environment', async function (this: SvcWorld, text: string) {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  assert.ok(pids.includes(`${held.get(this)?.pid}`), 'the command still runs');
  for (const pid of pids) {
    const shown = `${await argumentsOf(pid)}\n${await shownBy(pid, 'environ')}`;
    assert.ok(!shown.includes(text), `process ${pid} shows it: ${await argumentsOf(pid)}`);
  }
});
