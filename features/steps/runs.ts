import assert from 'node:assert/strict';
import { type DataTable, Given, Then, When } from '@cucumber/cucumber';
import { specOnly } from '../support/contract.ts';
import { until } from '../support/process.ts';
import { settles } from '../support/settled.ts';
import { asText, assertMatches } from '../support/text.ts';
import type { StepView, SvcWorld } from '../support/world.ts';
import { at } from './cli.ts';

const named = (world: SvcWorld, name: string) => {
  const run_id = world.runs.get(name);
  assert.ok(run_id, `no run is called ${name}`);
  return run_id;
};

/** The script's file name decides its interpreter, as it does for everybody. */
When('I submit the script {string}:', async function (this: SvcWorld, filename: string, source: string) {
  await this.submit({ filename, source: `${this.expand(source)}\n` });
});

When(
  'I submit the script {string} as {string}:',
  async function (this: SvcWorld, filename: string, name: string, source: string) {
    await this.submit({ filename, source: `${this.expand(source)}\n` }, name);
  },
);

When(
  'I submit the script {string} with input {string}:',
  async function (this: SvcWorld, filename: string, input: string, source: string) {
    await this.submit({
      filename,
      source: `${this.expand(source)}\n`,
      input: JSON.parse(this.expand(input)) as unknown,
    });
  },
);

Given('the run is called {string}', function (this: SvcWorld, name: string) {
  this.remember(this.run_id, name);
});

When('I look at the run {string}', function (this: SvcWorld, name: string) {
  this.run_id = named(this, name);
});

Then('the run succeeds', async function (this: SvcWorld) {
  await this.reaches('succeeded');
});

Then('the run fails with code {string}', async function (this: SvcWorld, code: string) {
  const run = await this.reaches('failed');
  if (!specOnly()) assert.equal(run.error?.code, code, run.error?.message);
});

Then('the run fails and its error has {string}', async function (this: SvcWorld, text: string) {
  const run = await this.reaches('failed');
  assert.ok(run.error?.message.includes(this.expand(text)), `"${text}" is not in: ${run.error?.message}`);
});

Then('the run is {string}', async function (this: SvcWorld, status: string) {
  await this.reaches(status);
});

Then('the run waits for {string} {string}', async function (this: SvcWorld, kind: string, name: string) {
  await until(`the run to wait for ${kind} ${name}`, 30_000, async () => {
    const { status, substate } = await this.run();
    assert.ok(!['succeeded', 'failed', 'cancelled'].includes(status), `the run is ${status}`);
    return (status === 'waiting' && substate?.kind === kind && substate.name === name) || undefined;
  });
});

Then('the run waits for {string} for at least {int} ms', async function (this: SvcWorld, kind: string, ms: number) {
  const { since, deadline } = await until(`the run to wait for ${kind}`, 30_000, async () => {
    const { status, substate } = await this.run();
    return (status === 'waiting' && substate?.kind === kind && substate) || undefined;
  });
  assert.ok(Date.parse(deadline ?? '') - Date.parse(since) >= ms, `${since} to ${deadline}`);
});

When('I send the signal {string} with {string}', async function (this: SvcWorld, name: string, payload: string) {
  const answer = await this.call(
    'POST',
    `${this.scoped}/runs/${this.run_id}/signals/${encodeURIComponent(name)}`,
    payload,
  );
  assert.equal(answer.status, 202, answer.text);
});

When('I cancel the run because {string}', async function (this: SvcWorld, reason: string) {
  const answer = await this.call('POST', `${this.scoped}/runs/${this.run_id}/cancel`, { reason });
  assert.equal(answer.status, 200, answer.text);
});

Then('{string} of the run is {string}', async function (this: SvcWorld, path: string, value: string) {
  const found = at(await this.run(), path);
  assert.equal(asText(found), this.expand(value));
});

Then('{string} of the run is noted as {string}', async function (this: SvcWorld, path: string, name: string) {
  const found = at(await this.run(), path);
  assert.equal(typeof found, 'string');
  this.notes.set(name, found as string);
});

Then('{string} of the run matches {string}', async function (this: SvcWorld, path: string, pattern: string) {
  assertMatches(at(await this.run(), path), this.expand(pattern));
});

Then('the log is:', async function (this: SvcWorld, text: string) {
  assert.equal((await this.logText()).trimEnd(), this.expand(text));
});

Then('the log has {string}', async function (this: SvcWorld, text: string) {
  const log = await this.logText();
  assert.ok(log.includes(this.expand(text)), `"${text}" is not in: ${log}`);
});

/** The line that has it, so that a failure shows where. */
const partIn = (log: string, text: string) => log.split('\n').find((line) => line.includes(text));

Then('the log lacks {string}', async function (this: SvcWorld, text: string) {
  await settles(async () => partIn(await this.logText(), this.expand(text)), undefined, 0);
});

Then('the log has {string} {int} time(s)', async function (this: SvcWorld, text: string, count: number) {
  await settles(async () => (await this.logText()).split(this.expand(text)).length - 1, count);
});

/** A table of `site`, `kind`, `exit`, `stdout`, `label`, `message`; only the columns that it has are compared. In a
 * cell `\n` is the end of a line. */
Then('the recorded steps are:', async function (this: SvcWorld, table: DataTable) {
  const [head = []] = table.raw();
  const cellsOf = (step: StepView) => {
    const all: Record<string, string> = {
      site: step.site,
      kind: step.kind,
      exit: step.exit_code === undefined ? '' : String(step.exit_code),
      stdout: step.stdout ?? '',
      label: step.label ?? '',
      status: step.status,
      message: step.message ?? '',
    };
    return head.map((column) => {
      assert.ok(column in all, `no column is called ${column}`);
      return all[column];
    });
  };
  const wanted = table.rows().map((row) => row.map((cell) => this.expand(cell)));
  await settles(async () => (await this.steps()).map(cellsOf), wanted);
});

Then(/^(\d+) steps? (?:is|are) recorded$/, async function (this: SvcWorld, count: string) {
  await settles(async () => (await this.steps()).length, Number(count));
});

Then('a run of {string} fails with code {string}', async function (this: SvcWorld, workflow: string, code: string) {
  const run = await until(`${workflow} to run`, 20_000, async () => {
    const answer = await this.call('GET', `${this.scoped}/runs?limit=200`);
    const { runs } = answer.json() as { runs: { run_id: string; workflow: string }[] };
    return runs.find((one) => one.workflow === workflow);
  });
  this.remember(run.run_id, workflow);
  await this.reaches('failed');
  const answer = await this.call('GET', `${this.scoped}/runs/${run.run_id}`);
  assert.equal((answer.json() as { error: { code: string } }).error.code, code);
});

Then('the run has no deadline', async function (this: SvcWorld) {
  const answer = await this.call('GET', `${this.scoped}/runs/${this.run_id}`);
  assert.equal((answer.json() as { deadline?: string }).deadline, undefined);
});

Then('the step {string} is soon recorded', async function (this: SvcWorld, site: string) {
  await until(
    `${site} to be recorded`,
    30_000,
    async () => (await this.steps()).some((step) => step.site === site && step.status === 'recorded') || undefined,
  );
});

Then('no agent soon works on the run', async function (this: SvcWorld) {
  await until('no agent to work on the run', 30_000, async () => {
    const { claims = [] } = (await this.run()) as { claims?: readonly unknown[] };
    return claims.length === 0 || undefined;
  });
});

Then('the run waits for a called run, which is noted as {string}', async function (this: SvcWorld, name: string) {
  const called = await until(
    'the run to wait for a called run',
    30_000,
    async () => (await this.run()).substate?.run_id,
  );
  this.notes.set(name, called);
});

Then('the run {string} is soon paused', async function (this: SvcWorld, run: string) {
  await until(`${run} to be paused`, 30_000, async () => {
    const answer = await this.call('GET', `${this.scoped}/runs/${this.expand(run)}`);
    return (answer.json() as { paused?: object }).paused;
  });
});
