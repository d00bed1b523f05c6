import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Then, When } from '@cucumber/cucumber';
import { until } from '../support/process.ts';
import { settles } from '../support/settled.ts';
import type { SvcWorld } from '../support/world.ts';

When(
  'an agent {string} with the capability {string} starts in the folder {string}',
  async function (this: SvcWorld, name: string, capability: string, folder: string) {
    const cwd = join(this.folder, folder);
    await mkdir(cwd, { recursive: true });
    const { agents } = this.target;
    const args = ['--cap', this.expand(capability)];
    const agent = await agents.start(`${name}-of-${this.project}`, { cwd, args, env: { TMPDIR: this.folder } });
    this.cleanups.push(() => agents.stop(agent));
  },
);

interface ChildView {
  site: string;
  child?: { state: string; exit_code?: number };
}

Then('the child of {string} is soon {string}', async function (this: SvcWorld, site: string, state: string) {
  await until(`the child of ${site} to be ${state}`, 30_000, async () => {
    const step = ((await this.steps()) as unknown as ChildView[]).find((one) => one.site === site);
    return step?.child?.state === state || undefined;
  });
});

Then('the child of {string} ended with {int}', async function (this: SvcWorld, site: string, exit: number) {
  const step = ((await this.steps()) as unknown as ChildView[]).find((one) => one.site === site);
  assert.deepEqual(step?.child, { ...step?.child, state: 'ended', exit_code: exit });
});

Then('a note of the run has {string}', async function (this: SvcWorld, text: string) {
  const { annotations } = await this.run();
  assert.ok(
    annotations.some((note) => note.includes(text)),
    JSON.stringify(annotations),
  );
});

Then('the run has no notes', async function (this: SvcWorld) {
  await settles(async () => (await this.run()).annotations, []);
});

Then(
  'the file {string} names {int} variable(s) of the service',
  async function (this: SvcWorld, name: string, count: number) {
    const text = await this.readText(name);
    assert.equal(text.match(/^SVC_\w+=/gm)?.length ?? 0, count, text);
  },
);

When('the last agent is killed', async function (this: SvcWorld) {
  await this.target.agents.started.pop()!.kill('SIGKILL');
});
