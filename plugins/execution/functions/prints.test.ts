import { join } from 'node:path';
import t from 'tap';
import { needs } from '../../../test/kit/needs.ts';
import { PROGRAMS, serving } from './testing/world.ts';

t.setTimeout(600_000);

const MIB = 1024 * 1024;
/** What waits for the agent, what Node.js keeps for writes, and garbage. */
const MAX_GROWTH_MIB = 128;

for (const [file, printed_mib, options] of [
  ['prints.ts', 300, {}],
  // Its writes wait for the agent, which takes time.
  ['prints.py', 150, needs('python3')],
] as const)
  t.test(`${file}: a function that prints without a pause`, options, async (t) => {
    const world = await serving(t, join(PROGRAMS, file), { env: { SVC_RUN_LIMITS: 'log=2MiB' } });
    await world.reaches((await world.submit('other')).run_id, 'succeeded');
    const before = process.memoryUsage().rss;
    const { run_id } = await world.submit('prints-at-once', printed_mib);
    const other = await world.submit('other');
    const { output } = await world.reaches(run_id, 'succeeded');
    t.ok(Number(output) < MAX_GROWTH_MIB, `the worker grows by ${String(output)} MiB`);
    const grown = (process.memoryUsage().rss - before) / MIB;
    t.ok(grown < 2 * MAX_GROWTH_MIB, `the agent and the server grow by ${grown} MiB`);
    t.equal((await world.reaches(other.run_id, 'succeeded')).output, 'here');
    const log = await world.log(run_id);
    t.ok(log.length < 3 * MIB, `the log is ${log.length} bytes long; its limit is 2 MiB`);
  });

t.test('what is dropped is reported', async (t) => {
  const world = await serving(t, join(PROGRAMS, 'prints.ts'));
  const { run_id } = await world.submit('prints-at-once', 100);
  await world.reaches(run_id, 'succeeded');
  t.match(await world.log(run_id), /svc: \d+ bytes of output were dropped because they arrived faster/);
});

t.test('the log of a function has the limit of its run', async (t) => {
  const world = await serving(t, join(PROGRAMS, 'prints.ts'), { env: { SVC_RUN_LIMITS: 'log=2MiB' } });
  const { run_id } = await world.submit('prints-on', 20);
  t.equal((await world.reaches(run_id, 'succeeded')).output, 'printed', 'the run goes on');
  const log = await world.log(run_id);
  t.ok(log.length < 3 * MIB, `the log is ${log.length} bytes long`);
  t.match(log, /limit/, 'and says why it ends');
});
