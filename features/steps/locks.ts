import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Then, When } from '@cucumber/cucumber';
import { until } from '../support/process.ts';
import { settles } from '../support/settled.ts';
import type { SvcWorld } from '../support/world.ts';

interface LockView {
  group: string;
  holder: { run_id: string; since: string; age_ms: number; fence: number };
  queue: { run_id: string; since: string; age_ms: number }[];
  queue_length: number;
}

async function lockOf(world: SvcWorld, group: string): Promise<LockView | undefined> {
  const answer = await world.call('GET', `${world.scoped}/locks`);
  assert.equal(answer.status, 200, answer.text);
  return (answer.json() as { locks: LockView[] }).locks.find((lock) => lock.group === group);
}

const idOf = (world: SvcWorld, name: string): string => {
  const run_id = world.runs.get(name);
  assert.ok(run_id, `no run is called ${name}`);
  return run_id;
};

Then('{string} is held by the run {string}', async function (this: SvcWorld, group: string, name: string) {
  await until(`${name} to hold ${group}`, 30_000, async () => {
    const lock = await lockOf(this, group);
    return lock?.holder.run_id === idOf(this, name) || undefined;
  });
});

Then('nobody holds {string}', async function (this: SvcWorld, group: string) {
  await settles(() => lockOf(this, group), undefined);
});

Then('the queue of {string} is empty', async function (this: SvcWorld, group: string) {
  await settles(async () => (await lockOf(this, group))?.queue, []);
});

/** One after the other: the next is submitted when the one before stands in the queue. */
async function queueUp(world: SvcWorld, count: number, group: string, file: string): Promise<void> {
  for (let number = 1; number <= count; number++) {
    const source = `svc lock ${group} --fence >> ${join(world.folder, 'fences')}\nsvc step note -- sh -c 'echo ${number} >> ${join(world.folder, file)}'\n`;
    await world.submit({ filename: 'turn.sh', source }, `turn ${number}`);
    await until(`${number} places in the queue`, 30_000, async () => {
      return (await lockOf(world, group))?.queue_length === number || undefined;
    });
  }
}

When(
  '{int} runs ask for {string} one after the other and write their number into {string}',
  async function (this: SvcWorld, count: number, group: string, file: string) {
    await queueUp(this, count, group, file);
  },
);

When(
  '1 run asks for {string} and writes its number into {string}',
  async function (this: SvcWorld, group: string, file: string) {
    await queueUp(this, 1, group, file);
  },
);

Then('the file {string} is not there', async function (this: SvcWorld, name: string) {
  await settles(async () => (await this.read(name)) === undefined, true);
});

Then(
  'the queue of {string} holds these {int} runs in their order',
  async function (this: SvcWorld, group: string, count: number) {
    const lock = await lockOf(this, group);
    const wanted = Array.from({ length: count }, (_, i) => idOf(this, `turn ${i + 1}`));
    assert.deepEqual(
      lock?.queue.map(({ run_id }) => run_id),
      wanted,
    );
    assert.ok(lock!.queue.every(({ age_ms, since }) => age_ms >= 0 && !Number.isNaN(Date.parse(since))));
  },
);

Then('all runs succeed', async function (this: SvcWorld) {
  assert.ok(this.runs.size > 0, 'there are runs');
  for (const run_id of this.runs.values()) await this.reaches('succeeded', run_id, 60_000);
});

Then(
  'the file {string} holds the numbers from {int} to {int} in order',
  async function (this: SvcWorld, name: string, first: number, last: number) {
    const lines = (await this.readText(name)).trim().split('\n').map(Number);
    assert.deepEqual(
      lines,
      Array.from({ length: last - first + 1 }, (_, i) => first + i),
    );
  },
);

/** A replay prints its fence again: what counts is that the numbers never fall, and that each run has its own. */
Then('every grant had a higher fence than the one before', async function (this: SvcWorld) {
  const fences = (await this.readText('fences')).trim().split('\n').map(Number);
  assert.ok(fences.every((fence, i) => Number.isInteger(fence) && fence > 0 && (i === 0 || fence >= fences[i - 1]!)));
  assert.ok(fences.length > 0);
  assert.equal(new Set(fences).size, [...this.runs.keys()].filter((name) => name.startsWith('turn ')).length);
});

Then('`svc status` shows the substate {string} {string}', async function (this: SvcWorld, kind: string, name: string) {
  const { stdout, exit } = await this.svc(['status', this.run_id, '--json']);
  assert.equal(exit, 0);
  const { substate } = JSON.parse(stdout) as { substate?: { kind: string; name: string } };
  assert.deepEqual([substate?.kind, substate?.name], [kind, name]);
});
