import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { nativePrograms } from '../native/build.mjs';
import { Activity, until } from '../../../../test/kit/index.ts';
import { HeldClock } from './testing/held-clock.ts';
import { openWarmBench } from './testing/warm-bench.ts';
import { givenUpWhenItHangs, HAND_OVER_MS, killedWhileItBegins } from './testing/stopped.ts';
import { gone, parentOf, waiting } from './testing/waiting.ts';
import { lacking } from '../../../../test/kit/needs.ts';

const { why } = await nativePrograms();
const prepared = lacking('cc', why);

const ts = (source: string) => ({ filename: 'job.ts', source });
const py = (source: string) => ({ filename: 'job.py', source });
const NOTHING_TS = ts('const nothing: number = 0;');
const NOTHING_PY = py('');
const NOTHING_SH = { filename: 'job.sh', source: '' };
/** As `warm-pool.ts` has it. */
const IDLE_MS = 5 * 60_000;
const PID = ts('console.log(process.pid);');

t.test('prepared interpreters', prepared, async (t) => {
  t.test('run the next scripts of a name, each one only', async (t) => {
    const bench = await openWarmBench(t);
    await bench.prime(PID);
    const [first] = waiting(bench);
    t.equal(waiting(bench).length, 1);
    t.equal((await bench.run(PID)).out, `${first}\n`);
    await until(() => bench.prepared() === 2);
    const [second] = waiting(bench);
    t.not(second, first);
    t.ok(gone(first!));
    t.equal((await bench.run(PID)).out, `${second}\n`);
    t.equal(bench.used(), 2);
  });

  t.test('go to one of two passes that begin at once', async (t) => {
    const bench = await openWarmBench(t);
    await bench.prime(PID);
    const [prepared] = waiting(bench);
    const both = await Promise.all([bench.run(PID), bench.run(PID)]);
    const pids = both.map(({ out }) => Number(out));
    t.not(pids[0], pids[1]);
    t.equal(pids.filter((pid) => pid === prepared).length, 1);
    await until(() => waiting(bench).length === 2, { what: 'as many wait as ran at once' });
  });

  t.test('wait for one name only, and for no other program', async (t) => {
    const bench = await openWarmBench(t);
    await bench.prime(NOTHING_TS);
    await bench.run({ ...NOTHING_TS, filename: 'other.ts' });
    await bench.run({ filename: 'job.ts', source: '', interpreter: 'node' });
    await bench.run({ filename: 'job.ts', source: '', interpreter: 'bash' });
    t.equal(bench.used(), 0);
    await bench.run(NOTHING_TS);
    t.equal(bench.used(), 1);
  });

  t.test('go with the agent, and what is left of them too', async (t) => {
    const bench = await openWarmBench(t);
    await bench.prime(NOTHING_TS);
    await bench.prime(NOTHING_PY);
    await bench.prime(NOTHING_SH);
    const pids = waiting(bench);
    t.equal(pids.length, 3);
    await bench.executor.drain?.();
    t.ok(pids.every(gone));
    t.same(
      readdirSync(bench.runtime_dir).filter((name) => /^p[0-9a-f]{12}$/.test(name)),
      [],
    );
    t.match((await bench.run(PID)).end, { completion: { status: 'succeeded' } }, 'a last pass goes on without');
    t.same(waiting(bench), []);
  });

  for (const script of [NOTHING_TS, NOTHING_PY, NOTHING_SH])
    t.test(`that have died are no loss: ${script.filename}`, async (t) => {
      const bench = await openWarmBench(t);
      await bench.prime(script);
      const [pid] = waiting(bench);
      process.kill(pid!, 'SIGKILL');
      const { end, err } = await bench.run(script);
      t.match(end, { end: 'completed', completion: { status: 'succeeded' } });
      t.equal(err, '');
      t.equal(bench.used(), 0);
      await until(() => bench.prepared() === 2, { what: 'another takes its place' });
    });

  t.test('that hang are given up, and the script runs once', (t) => givenUpWhenItHangs(t, PID));

  t.test('go when nobody has used them for some minutes', async (t) => {
    const clock = new HeldClock();
    const bench = await openWarmBench(t, { clock });
    await bench.prime(PID);
    clock.advance(IDLE_MS - 1000);
    await bench.run(PID);
    await until(() => bench.prepared() === 2);
    clock.advance(1000);
    t.equal(waiting(bench).length, 1, 'it was used since');
    clock.advance(IDLE_MS);
    await until(() => waiting(bench).length === 0);
  });

  t.test('end with an agent that is killed', async (t) => {
    const agent = spawn(process.execPath, [fileURLToPath(new URL('./testing/doomed-agent.ts', import.meta.url))], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(agent.stdout, 'data')) as [Buffer];
    const [folder = '', ...pids] = line.toString().trim().split(' ');
    t.teardown(() => rmSync(folder, { recursive: true, force: true }));
    t.equal(pids.length, 3);
    agent.kill('SIGKILL');
    await until(() => pids.map(Number).every(gone));
  });

  t.test('are killed with a pass that is stopped while it begins', async (t) => killedWhileItBegins(t, PID));
});

t.test('faults at the hand-over', prepared, async (t) => {
  t.test('a script is not started again when the spawner dies and nobody knows whether it ran', async (t) => {
    const clock = new HeldClock();
    const bench = await openWarmBench(t, { clock });
    const runs = join(t.testdir(), 'runs');
    await bench.prime(NOTHING_TS);
    const [pid] = waiting(bench);
    process.kill(pid!, 'SIGSTOP');
    const source = `process.getBuiltinModule('node:fs').appendFileSync(${JSON.stringify(runs)}, 'run ')`;
    const pass = bench.begin(new Activity(), ts(source));
    await until(() => clock.holds(HAND_OVER_MS), { what: 'it was handed over' });
    await bench.run({ filename: 'later.sh', source: 'true' });
    const spawner = parentOf(parentOf(pid!));
    process.kill(spawner, 'SIGSTOP');
    process.kill(pid!, 'SIGCONT');
    await until(() => existsSync(runs), { what: 'the script has run' });
    process.kill(spawner, 'SIGKILL');
    t.match(await pass.result, { end: 'interrupted' }, 'it counts as interrupted');
    t.equal(readFileSync(runs, 'utf8'), 'run ');
  });

  t.test('a pass that is stopped does not wait for an interpreter that is still being prepared', async (t) => {
    const { PATH, python, real } = ownPython(t);
    const slow = `${python}.slow`;
    rmSync(python);
    writeFileSync(python, `#!/bin/sh\n[ -e "$1" ] || { echo >${slow}; sleep 1000; }\nexec ${real} "$@"\n`, {
      mode: 0o755,
    });
    const bench = await openWarmBench(t, { env: { PATH }, clock: new HeldClock() });
    await bench.run(NOTHING_PY);
    await until(() => existsSync(slow), { what: 'one is being prepared' });
    const pass = bench.begin(new Activity(), NOTHING_PY);
    pass.stop('draining');
    t.same(await pass.result, { end: 'released' });
  });

  t.test('what could not be written once is written for the next one', async (t) => {
    const bench = await openWarmBench(t);
    const folder = join(bench.runtime_dir, 'warm');
    writeFileSync(folder, '');
    await bench.run(NOTHING_TS);
    await until(() => bench.log.messages('info').length === 1, { what: 'none could be prepared' });
    rmSync(folder);
    await bench.prime({ ...NOTHING_TS, filename: 'other.ts' });
    t.equal(bench.prepared('other.ts'), 1);
  });

  t.test('an agent that drains before its first script prepares none', async (t) => {
    const clock = new HeldClock();
    const bench = await openWarmBench(t, { clock });
    await bench.executor.drain?.();
    t.match((await bench.run(NOTHING_TS)).end, { completion: { status: 'succeeded' } });
    t.notOk(clock.holds(IDLE_MS), 'nothing is kept for another one');
  });
});

t.test('variables that an interpreter reads at its start', prepared, async (t) => {
  const bench = await openWarmBench(t, {
    env: { PATH: process.env.PATH, HOME: '/root', TZ: 'UTC', PYENV_VERSION: undefined },
  });
  const forced = async (script: typeof PID, workflow: Record<string, string>, prints: RegExp) => {
    await until(() => waiting(bench).length > 0);
    const used = bench.used();
    const { out } = await bench.run({ ...script, environment: { workflow } });
    t.match(out, prints);
    return bench.used() > used ? 'prepared' : 'anew';
  };
  await bench.prime(PID);
  const zone = ts('console.log(new Date(0).getHours(), process.env.A, process.env.NODE_OPTIONS);');
  t.equal(await forced(zone, { A: 'b' }, /^0 b undefined$/m), 'prepared');
  t.equal(await forced(zone, { TZ: 'Asia/Tokyo' }, /^9 undefined undefined$/m), 'anew');
  t.equal(await forced(zone, { NODE_OPTIONS: '--no-warnings' }, /--no-warnings$/m), 'anew');
  t.equal(await forced(zone, { LC_ALL: 'C' }, /^0/m), 'anew');
  t.equal(await forced(zone, { LD_LIBRARY_PATH: '/x' }, /^0/m), 'anew');
  t.equal(await forced(zone, {}, /^0/m), 'prepared');
  await bench.prime(NOTHING_PY);
  const flags = py('import sys; print(sys.flags.utf8_mode, sys.flags.dev_mode, sys.path)');
  t.equal(await forced(flags, {}, /^\d False/), 'prepared');
  t.equal(await forced(flags, { PYTHONDEVMODE: '1' }, /^\d True/), 'anew');
  t.equal(await forced(flags, { PYTHONPATH: '/somewhere' }, /'\/somewhere'/), 'anew');
});

/** A folder with a `python3` that is a link to the machine's real one. */
function ownPython(t: Test): { PATH: string; python: string; real: string } {
  const folder = t.testdir();
  const real = execFileSync('python3', ['-c', 'import sys; print(sys.executable)']).toString().trim();
  const python = join(folder, 'python3');
  symlinkSync(real, python);
  return { PATH: `${folder}:/usr/bin:/bin`, python, real };
}

t.test('an interpreter that was replaced is not the one that waits', prepared, async (t) => {
  const { PATH, python } = ownPython(t);
  const bench = await openWarmBench(t, { env: { PATH } });
  await bench.prime(NOTHING_PY);
  writeFileSync(`${python}.new`, '#!/bin/sh\necho replaced\n', { mode: 0o755 });
  execFileSync('mv', ['-f', `${python}.new`, python]);
  const { out } = await bench.run(NOTHING_PY);
  t.equal(out, 'replaced\n');
  t.equal(bench.used(), 0);
});

t.test('an interpreter behind a wrapper', prepared, async (t) => {
  const { PATH, python, real } = ownPython(t);
  execFileSync('rm', [python]);
  const wrapper = `#!/bin/sh\nexport WRAPPED=yes PATH="/wrapped:$PATH"; unset HOME; exec ${real} "$@"\n`;
  writeFileSync(python, wrapper, { mode: 0o755 });
  const bench = await openWarmBench(t, { env: { PATH, HOME: '/root' } });
  const look = py('import os; print([os.environ.get(name) for name in ("WRAPPED", "HOME", "PATH", "A")])');
  const { out: cold } = await bench.run(look);
  await until(() => bench.prepared() === 1);
  const { out } = await bench.run(look);
  t.equal(
    out.replace(/p[0-9a-f]{12}/, ''),
    cold.replace(/p[0-9a-f]{12}/, ''),
    'what it does to the environment is done to every one',
  );
  t.match(out, /'yes', None, '\/wrapped:/);
  t.equal(bench.used(), 1);
  await until(() => bench.prepared() === 2);
  t.match((await bench.run({ ...look, environment: { workflow: { A: 'b' } } })).out, /'b'\]/);
  t.equal(bench.used(), 1, 'it may read any variable of a job');
});

t.test('where none may wait', prepared, async (t) => {
  t.test('off', async (t) => {
    const bench = await openWarmBench(t, { warm: false });
    for (const _ of [1, 2]) t.match((await bench.run(PID)).end, { completion: { status: 'succeeded' } });
    t.same([bench.prepared(), bench.used()], [0, 0]);
  });

  t.test('without the native spawner', async (t) => {
    const bench = await openWarmBench(t, { native: false });
    for (const _ of [1, 2]) t.match((await bench.run(PID)).end, { completion: { status: 'succeeded' } });
    t.same([bench.prepared(), bench.used()], [0, 0]);
  });

  t.test('an interpreter that cannot be prepared is started as ever', async (t) => {
    const { PATH, python } = ownPython(t);
    execFileSync('rm', [python]);
    writeFileSync(python, '#!/bin/sh\necho "said by another"\n', { mode: 0o755 });
    const bench = await openWarmBench(t, { env: { PATH } });
    await bench.run(NOTHING_PY);
    await until(() => bench.log.messages('info').length === 1);
    t.match(bench.log.lines.at(-1), {
      message: 'an interpreter could not be prepared',
      fields: { program: python, reason: /said by another/ },
    });
    t.equal((await bench.run(NOTHING_PY)).out, 'said by another\n');
  });
});
