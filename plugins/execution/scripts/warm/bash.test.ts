import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { nativePrograms } from '../native/build.mjs';
import { until } from '../../../../test/kit/index.ts';
import { openWarmBench, type WarmBench } from './testing/warm-bench.ts';
import { givenUpWhenItHangs, killedWhileItBegins } from './testing/stopped.ts';
import { waiting } from './testing/waiting.ts';
import { lacking } from '../../../../test/kit/needs.ts';

const { why } = await nativePrograms();
const prepared = lacking('cc', why);
const REAL = execFileSync('bash', ['-c', 'type -P bash']).toString().trim();
const sh = (source: string) => ({ filename: 'job.sh', source });
const PID = sh('echo "$$"');

/** Whether a run took one that waited, and what it printed. */
async function seen(bench: WarmBench, script: Parameters<WarmBench['run']>[0]) {
  await until(() => waiting(bench).length > 0, { what: 'a bash waits' });
  const used = bench.used();
  const { out, end } = await bench.run(script);
  return { out, end, how: bench.used() > used ? 'prepared' : 'anew' };
}

t.test('a bash that waits', prepared, async (t) => {
  t.test('holds nothing of a run', async (t) => {
    const bench = await openWarmBench(t);
    await bench.prime({ ...PID, environment: { workflow: { OF_THE_JOB: 'secret' } } });
    const [pid] = waiting(bench);
    const names = readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .map((line) => line.split('=')[0]);
    t.notOk(names.includes('OF_THE_JOB'));
    t.notOk(names.some((name) => name!.startsWith('SVC_')));
    t.same(await seen(bench, PID), {
      out: `${pid}\n`,
      end: { end: 'completed', completion: { status: 'succeeded', output: {} } },
      how: 'prepared',
    });
  });

  t.test('counts its seconds from the hand-over', async (t) => {
    const bench = await openWarmBench(t);
    await bench.prime(PID);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const source = `echo "$SECONDS $(( $(printf '%(%s)T' -1) - $(printf '%(%s)T' -2) ))"`;
    t.match(await seen(bench, sh(source)), { how: 'prepared', out: /^[01] [01]\n$/ });
  });

  t.test('waits as often as passes ran at once, also for more than four', async (t) => {
    const bench = await openWarmBench(t);
    await Promise.all(Array.from({ length: 6 }, () => bench.run(sh('sleep 0.5'))));
    await until(() => waiting(bench).length === 6, { what: 'six wait' });
    const runs = await Promise.all(Array.from({ length: 6 }, () => bench.run(PID)));
    t.equal(new Set(runs.map(({ out }) => out)).size, 6);
    t.equal(bench.used(), 6);
  });

  t.test('is not taken when somebody has removed its socket', async (t) => {
    const bench = await openWarmBench(t);
    const script = sh('svc step one -- echo one');
    await bench.prime(script);
    const sockets = readdirSync(bench.runtime_dir).map((name) => join(bench.runtime_dir, name, 's'));
    for (const socket of sockets.filter((path) => existsSync(path))) rmSync(socket);
    t.match(await seen(bench, script), { how: 'anew', out: 'one\n' });
  });

  t.test('takes no room from the others', async (t) => {
    const bench = await openWarmBench(t);
    for (let n = 0; n < 9; n += 1) await bench.prime({ filename: `job-${n}.sh`, source: '' });
    await bench.prime({ filename: 'job.ts', source: '' });
    t.equal(waiting(bench).length, 10);
  });

  t.test('runs what names the same program with the same options', async (t) => {
    const bench = await openWarmBench(t);
    await bench.prime(PID);
    for (const [interpreter, how] of [
      ['bash -eu', 'prepared'],
      ['bash', 'anew'],
      ['bash -e', 'anew'],
      ['bash -eux', 'anew'],
    ] as const)
      t.match(await seen(bench, { ...PID, interpreter }), { how }, interpreter);
  });

  t.test('that hangs is given up, and the script runs once', (t) => givenUpWhenItHangs(t, PID));

  t.test('is killed with a pass that is stopped while it begins', async (t) => killedWhileItBegins(t, PID));
});

t.test('variables of a job', prepared, async (t) => {
  const bench = await openWarmBench(t, { env: { PATH: process.env.PATH, HOME: '/root', USER: 'one', TZ: 'UTC' } });
  await bench.prime(PID);
  const look = sh('declare -p "$NAME" 2>/dev/null; env | grep -a "^$NAME=" || echo none');
  const how = async (name: string, value: string) => {
    const workflow = { [name]: value, NAME: name };
    return await seen(bench, { ...look, environment: { workflow } });
  };
  for (const [name, value] of [
    ['USER', 'another'],
    ['TMPDIR', '/tmp'],
    ['ENV', 'production'],
    ['OPTIONS', '-a  b'],
    ['MAILER', 'it\'s "$HOME" `x` \\ (a b) ~ *'],
    ['a1', ''],
    ['CI_TRIGGER_MORE', '=x=\ny'],
  ] as const) {
    const found = await how(name, value);
    t.equal(found.how, 'prepared', name);
    t.ok(found.out.endsWith(`${name}=${value.split('\n')[0]}\n`), `${name}: ${found.out}`);
    t.match(found.out, `declare -x ${name}=`);
  }
  for (const name of [
    ...['SHLVL', 'PWD', 'OLDPWD', 'IFS', 'PS4', 'PS1', 'SHELL', 'SHELLOPTS', 'BASHOPTS', 'BASH_ENV', 'BASH_COMPAT'],
    ...['BASH_XTRACEFD', 'POSIXLY_CORRECT', 'GLOBIGNORE', 'UID', 'EUID', 'PPID', 'RANDOM', 'SECONDS', 'LINENO', '_'],
    ...['HISTFILE', 'TMOUT', 'FUNCNEST', 'EXECIGNORE', 'OPTIND', 'OPTERR', 'TEXTDOMAIN', 'HOME', 'LANG', 'LC_ALL'],
    ...['TZ', 'HOSTNAME', 'TERM', 'COLUMNS', 'EPOCHSECONDS', 'LD_LIBRARY_PATH', 'MALLOC_ARENA_MAX', 'BASH_FUNC_f%%'],
    ...['A-B', 'a.b', '1a', 'ä', 'CDPATH', 'INPUTRC', 'TIMEFORMAT', 'SSH_CLIENT', 'MAIL', 'IGNOREEOF', 'DIRSTACK'],
  ])
    t.equal((await how(name, '7')).how, 'anew', name);
});

t.test('the folder of the agent', prepared, async (t) => {
  const folder = realpathSync(t.testdir({ one: {}, other: {} }));
  const workdir = join(folder, 'work');
  const look = sh('echo "$PWD $(pwd -P) ${OLDPWD-none}"');
  symlinkSync('one', workdir);
  const bench = await openWarmBench(t, { workdir });
  await bench.prime(look);
  t.same((await seen(bench, look)).out, `${folder}/one ${folder}/one none\n`);
  await until(() => waiting(bench).length > 0);
  rmSync(workdir);
  symlinkSync('other', workdir);
  t.match(await seen(bench, look), { how: 'anew', out: `${folder}/other ${folder}/other none\n` });
  await until(() => bench.prepared() === 3);
  renameSync(join(folder, 'other'), join(folder, 'gone'));
  mkdirSync(join(folder, 'other'));
  writeFileSync(join(folder, 'other', 'new'), '');
  t.match(await seen(bench, sh('ls')), { how: 'prepared', out: 'new\n' }, 'it is the one that lies there now');
  await until(() => waiting(bench).length > 0);
  rmSync(join(folder, 'other'), { recursive: true });
  t.match((await bench.run(look)).end, { completion: { status: 'failed', code: 'script_not_started' } });
});

/** A folder with a bash of its own, first on the path. */
function ownBash(t: Test): { PATH: string; bash: string } {
  const folder = t.testdir();
  const bash = join(folder, 'bash');
  copyFileSync(REAL, bash);
  return { PATH: `${folder}:/usr/bin:/bin`, bash };
}

t.test('a bash that was replaced is not the one that waits', prepared, async (t) => {
  const { PATH, bash } = ownBash(t);
  const bench = await openWarmBench(t, { env: { PATH } });
  await bench.prime(PID);
  copyFileSync(REAL, `${bash}.new`);
  renameSync(`${bash}.new`, bash);
  t.equal((await seen(bench, PID)).how, 'anew');
  t.equal((await seen(bench, PID)).how, 'prepared', 'the new one waits');
});

t.test('where no bash waits', prepared, async (t) => {
  const none = async (parts: Parameters<typeof openWarmBench>[1]) => {
    const bench = await openWarmBench(t, parts);
    for (const _ of [1, 2]) t.match((await bench.run(PID)).end, { completion: { status: 'succeeded' } });
    await bench.prime({ filename: 'job.py', source: '' });
    t.same([bench.prepared('job.sh'), bench.used()], [0, 0]);
  };
  await t.test('calls of svc are not answered inside of the shell', () => none({ in_shell: false }));
  await t.test('it is a script itself', async (t) => {
    const { PATH, bash } = ownBash(t);
    writeFileSync(`${bash}.wrapper`, `#!/bin/sh\nexec ${REAL} "$@"\n`, { mode: 0o755 });
    renameSync(`${bash}.wrapper`, bash);
    await none({ env: { PATH } });
  });
});
