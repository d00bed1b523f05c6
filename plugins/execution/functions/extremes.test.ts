import { join } from 'node:path';
import t, { type Test } from 'tap';
import { needs } from '../../../test/kit/needs.ts';
import { PROGRAMS, serving } from './testing/world.ts';

t.setTimeout(600_000);

type World = Awaited<ReturnType<typeof serving>>;

const pidOf = async (world: World) => (await world.ended((await world.submit('pid', null)).run_id)).output;

async function fails(t: Test, world: World, name: string, input: unknown, message: RegExp) {
  const { run_id } = await world.submit(name, input);
  t.match(await world.ended(run_id), { status: 'failed', error: { message } }, `${name} ${String(input)}`);
}

t.test('nothing that a function throws, returns or prints ends the process of all runs', async (t) => {
  const world = await serving(t, join(PROGRAMS, 'extremes.ts'));
  const pid = await pidOf(world);
  for (const [name, message] of [
    ['circle', /the first\b[\s\S]*caused by: Error: the second/],
    ['nothing', /thrown: null/],
    ['no text', /an error without a message/],
    ['a getter that throws', /an error that cannot be read/],
    ['a proxy that throws', /an error that cannot be read/],
    ['a large code', /a large code/],
    ['a large text', /xxx/],
  ] as const)
    await fails(t, world, 'throws', name, message);
  for (const name of ['circle', 'nothing', 'no text', 'a getter that throws', 'a large code'])
    await fails(t, world, 'throws-in-step', name, /step "throw" failed/);
  await fails(t, world, 'returns-large', null, /returned 17902850 bytes more than/);
  await fails(t, world, 'records-large', null, /over the limit of 2 MiB/);
  await fails(t, world, 'names-large', null, /a line has more than/);
  const { run_id } = await world.submit('prints-large', null);
  t.equal((await world.reaches(run_id, 'succeeded')).output, 'printed');
  t.notOk((await world.log(run_id)).includes('\ufffd'), 'no character is cut in two');
  t.equal(await pidOf(world), pid, 'the process goes on');
});

t.test('the same in Python', needs('python3'), async (t) => {
  const world = await serving(t, join(PROGRAMS, 'extremes.py'));
  const pid = await pidOf(world);
  await fails(t, world, 'throws', 'x', /an error that cannot be read/);
  await fails(t, world, 'returns-large', null, /returned 17902850 bytes more than/);
  await fails(t, world, 'names-large', null, /a line has more than/);
  t.equal(await pidOf(world), pid, 'the process goes on');
});
