import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Ids } from '../../../../kernel/contracts/index.ts';
import type { Assignment, PassEnd } from '../../agents/contract.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import { Activity, messageLog, systemClock as clock, until } from '../../../../test/kit/index.ts';
import { Isolation } from '../isolation/isolation.ts';
import { nativePrograms } from '../native/build.mjs';
import { openWarmBench } from '../warm/testing/warm-bench.ts';
import { createCommandExecutor } from './command-executor.ts';
import { openBench } from './testing/host.ts';
import { lacking } from '../../../../test/kit/needs.ts';

const ids: Ids = { next: (prefix) => `${prefix}_1`, bytes: (count) => randomBytes(count) };
const { why } = await nativePrograms();
const native_only = lacking('cc', why);
const isolation = new Isolation({ env: process.env, ids, node: process.execPath });
const cannot = await isolation.findProblem();
const isolated_only = lacking('isolation', cannot);

/** Marks a process, so that it is found from outside whatever its number is inside. */
const mark = () => `mark-${randomBytes(6).toString('hex')}`;

interface Seen {
  pid: number;
  name: string;
  parent: number;
}

async function look(pid: number | string): Promise<Seen | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const field = (name: string) => new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1] ?? '';
  return status === '' ? undefined : { pid: Number(pid), name: field('Name'), parent: Number(field('PPid')) };
}

/** The processes above the one that a command line marks, the nearest first. */
async function above(marked: string): Promise<Seen[]> {
  const found = await until(
    async () => {
      for (const pid of await readdir('/proc')) {
        if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue;
        const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
        // Those above have it among the arguments that they pass on.
        if (words[0] === marked) return await look(pid);
      }
      return undefined;
    },
    { what: 'the program runs' },
  );
  const line: Seen[] = [];
  for (let at = await look(found!.parent); at && at.pid !== process.pid && at.pid > 1; at = await look(at.parent))
    line.push(at);
  return line;
}

/** A command that waits until it is killed, as the process with this name. */
const waiting = (marked: string) => `exec -a ${marked} sleep 1000`;

interface Child {
  run(source: string, more?: { timeout_ms?: number; trusted?: boolean }): { ended: Promise<PassEnd>; stop(): void };
}

async function openCommands(t: Test, native: boolean): Promise<Child> {
  const runtime_dir = await mkdtemp(join(tmpdir(), 'svc-lost-'));
  const executor = createCommandExecutor({
    ...{ clock, ids, log: messageLog().log, isolation, env: { PATH: process.env.PATH }, grace_ms: 300, native },
  });
  t.teardown(async () => {
    await executor.close();
    await rm(runtime_dir, { recursive: true, force: true });
  });
  return {
    run(source, { timeout_ms, trusted = true } = {}) {
      const activity = new Activity();
      activity.agent = { id: 'agt_1', name: 'a', pid: 1, workdir: '/', runtime_dir, isolate_all: false };
      const spec: Json = { argv: ['bash', '-c', source], ...(timeout_ms && { policy: { timeout_ms } }) };
      const assignment = {
        ...{ activity_id: 'act_1', epoch: 1, run_id: 'run_1', name: 'child', executor: 'command', spec, trusted },
        ...{ envelope: {}, journal: [], environment: { below: [], workflow: {}, above: [] } },
      } as unknown as Assignment;
      const pass = executor.start(assignment, activity);
      return { ended: pass.result, stop: () => pass.stop('draining') };
    },
  };
}

/** What the agent makes of it is the same for all that it carries out. */
const again = { end: 'interrupted', at: 0, otherwise: { status: 'failed', code: 'script_killed' } };

const recorded = (exit_code: number) => ({ completion: { status: 'succeeded', output: { exit_code } } });

for (const native of why === undefined ? [true, false] : [false])
  t.test(`a child whose ${native ? 'keeper' : 'spawner'} is killed, ${native ? 'native' : 'Node'}`, async (t) => {
    const { run } = await openCommands(t, native);
    const marked = mark();
    const lost = run(waiting(marked));
    const [keeper] = await above(marked);
    t.equal(keeper?.name === 'svc-keeper', native);
    process.kill(keeper!.pid, 'SIGKILL');
    t.match(await lost.ended, again, 'is carried out again');
    t.match(await run('exit 3').ended, recorded(3));
    t.match(await run('kill -9 $$').ended, recorded(137), 'one that is killed itself has ended so');
  });

t.test('a child that is lost with its spawner, native', native_only, async (t) => {
  const { run } = await openCommands(t, true);
  const marked = mark();
  const lost = run(waiting(marked));
  const [, spawner] = await above(marked);
  t.equal(spawner?.name, 'spawner');
  process.kill(spawner!.pid, 'SIGKILL');
  t.match(await lost.ended, again);
  t.match(await run('exit 3').ended, recorded(3));
});

t.test('an isolated child', isolated_only, async (t) => {
  const { run } = await openCommands(t, true);
  for (const [nth, who] of ['the first process of its namespace', 'what isolates it', 'its keeper'].entries()) {
    const marked = mark();
    const lost = run(waiting(marked), { trusted: false });
    const line = await above(marked);
    t.match(line[2], { name: 'svc-keeper' });
    process.kill(line[nth]!.pid, 'SIGKILL');
    t.match(await lost.ended, again, `is carried out again when ${who} was killed`);
  }
  t.match(await run('kill -9 $$', { trusted: false }).ended, recorded(137));
  t.match(await run('exit 125', { trusted: false }).ended, recorded(125));
  const marked = mark();
  const slow = run(`trap '' TERM; (${waiting(marked)}); exit 0`, { trusted: false, timeout_ms: 200 });
  t.match(await slow.ended, recorded(124), 'its time is over, whoever kills it then');
});

t.test('a script whose keeper is killed goes on where it was', native_only, async (t) => {
  const bench = await openBench({ clock, ids, native: true, warm: false });
  t.teardown(() => bench.close());
  const activity = new Activity();
  const marked = mark();
  const source = `
    svc step once -- echo once
    svc step long -- bash -c '[ -e ${join(bench.runtime_dir, marked)} ] || exec -a ${marked} sleep 1000'
    svc output set done:=true
  `;
  const first = bench.begin(activity, { filename: 'a.sh', source });
  const keeper = (await above(marked)).find(({ name }) => name === 'svc-keeper');
  process.kill(keeper!.pid, 'SIGKILL');
  t.match(await first.result, { end: 'interrupted', at: 1 });
  t.same(activity.sites(), ['step once#0=0'], 'nothing was recorded of the step');
  await writeFile(join(bench.runtime_dir, marked), '');
  t.match(await bench.begin(activity, { filename: 'a.sh', source }).result, {
    completion: { status: 'succeeded', output: { done: true } },
  });
});

t.test('a prepared bash whose keeper is killed', native_only, async (t) => {
  const bench = await openWarmBench(t);
  const quick = { filename: 'job.sh', source: 'svc step a -- true; svc output set ran=yes' };
  await bench.prime(quick);
  if (bench.prepared() === 0) return t.comment('no bash waits on this machine');
  const marked = mark();
  const activity = new Activity();
  const slow = bench.begin(activity, { filename: 'job.sh', source: `svc step a -- true; ${waiting(marked)}` });
  const [keeper] = await above(marked);
  process.kill(keeper!.pid, 'SIGKILL');
  t.match(
    await slow.result,
    { end: 'interrupted', at: 1 },
    'while it runs a script: the script goes on in the next pass',
  );
  t.equal(bench.used(), 1, 'the script ran in the prepared one');
  t.same(activity.sites(), ['step a#0=0']);
  t.match((await bench.run(quick)).end, { completion: { status: 'succeeded', output: { ran: 'yes' } } });
});
