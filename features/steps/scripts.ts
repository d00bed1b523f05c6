import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DataTable, Given, Then, When } from '@cucumber/cucumber';
import { until } from '../support/process.ts';
import { settles } from '../support/settled.ts';
import type { StepView, SvcWorld } from '../support/world.ts';

const programs = join(import.meta.dirname, '../scripts/programs');

When('I submit the program {string}', async function (this: SvcWorld, filename: string) {
  const source = await readFile(join(programs, filename), 'utf8');
  await this.submit({ filename, source: this.expand(source) });
});

When(
  'I submit the script {string} with the options {string}:',
  async function (this: SvcWorld, filename: string, options: string, source: string) {
    const more = JSON.parse(this.expand(options)) as Record<string, unknown>;
    await this.submit({ filename, source: `${this.expand(source)}\n`, ...more });
  },
);

When(
  'I submit the script {string} with an input of {int} bytes:',
  async function (this: SvcWorld, filename: string, bytes: number, source: string) {
    const input = `${'x'.repeat(bytes - '"end"'.length)}end`;
    assert.equal(Buffer.byteLength(JSON.stringify(input)), bytes);
    await this.submit({ filename, source: `${this.expand(source)}\n`, input });
  },
);

Given('a gate {string}', async function (this: SvcWorld, name: string) {
  await this.makeGate(name);
});

When('I open the gate {string}', async function (this: SvcWorld, name: string) {
  await this.machine.openGate(join(this.folder, name));
});

Then('the processes of the file {string} are gone', async function (this: SvcWorld, name: string) {
  const pids = (await this.readText(name)).trim().split('\n');
  for (const pid of pids) {
    assert.match(pid, /^\d+$/);
    await until(`process ${pid} to be gone`, 10_000, async () => !(await this.machine.lives(Number(pid))) || undefined);
  }
});

/** What the wait was armed for: from when it began to its deadline. */
async function waitsFor(world: SvcWorld, run_id: string): Promise<number> {
  const { substate } = await world.reaches('waiting', run_id);
  assert.ok(substate?.deadline, 'the wait has a deadline');
  return (Date.parse(substate.deadline) - Date.parse(substate.since)) / 1000;
}

Then('the run waits for {int} seconds', async function (this: SvcWorld, seconds: number) {
  assert.equal(await waitsFor(this, this.run_id), seconds);
});

Then('the runs wait for so long, and are cancelled:', async function (this: SvcWorld, table: DataTable) {
  for (const { run = '', seconds } of table.hashes()) {
    const run_id = this.runs.get(run);
    assert.ok(run_id, `no run is called ${run}`);
    assert.equal(await waitsFor(this, run_id), Number(seconds), run);
    const cancelled = await this.call('POST', `${this.scoped}/runs/${run_id}/cancel`, {});
    assert.equal(cancelled.status, 200, cancelled.text);
    await this.reaches('cancelled', run_id);
  }
});

Then('the run soon waits at {string}', async function (this: SvcWorld, site: string) {
  await until(`the run to wait at ${site}`, 30_000, async () => {
    const { status } = await this.run();
    assert.ok(!['succeeded', 'failed', 'cancelled'].includes(status), `the run is ${status}`);
    const steps = await this.steps();
    return steps.some((step) => step.site === site && step.status === 'waiting') || undefined;
  });
});

const soonShows = (what: string, shown: () => Promise<boolean>) =>
  until(`the run to show ${what}`, 30_000, async () => (await shown()) || undefined);

Then('the run soon shows {string} as running', async function (this: SvcWorld, site: string) {
  await soonShows(site, async () => (await this.steps()).some((step) => step.site === site && step.running));
});

Then('the run soon shows the child of {string} as running', async function (this: SvcWorld, site: string) {
  const isChild = (step: StepView) => step.site === site && step.child?.running?.attempt === 2;
  await soonShows(`the child of ${site}`, async () => (await this.steps()).some(isChild));
});

Then('the node {string} soon shows {string} as running', async function (this: SvcWorld, node: string, site: string) {
  const found = async () =>
    (await this.steps()) as unknown as { node: string; activity?: { running?: { site: string } } }[];
  const isNode = (one: Awaited<ReturnType<typeof found>>[number]) =>
    one.node === node && one.activity?.running?.site === site;
  await soonShows(`${site} of ${node}`, async () => (await found()).some(isNode));
});

Then('the run soon shows nothing as running', async function (this: SvcWorld) {
  await soonShows('nothing', async () => {
    const steps = await this.steps();
    return steps.every((step) => !step.running) && (await this.run()).running === undefined;
  });
});

Then('the record of {string} took {int} ms or more', async function (this: SvcWorld, site: string, least: number) {
  const step = (await this.steps()).find((one) => one.site === site);
  const took = Date.parse(step?.recorded_at ?? '') - Date.parse(step?.started_at ?? '');
  assert.ok(took >= least, `${site} took ${took} ms`);
});

Then('the run has no {string}', async function (this: SvcWorld, field: string) {
  await settles(async () => (await this.run())[field] ?? undefined, undefined);
});

When('I work in another project', async function (this: SvcWorld) {
  await this.moveTo(this.target);
});
