import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Ids } from '../../../../kernel/contracts/index.ts';
import type { PassEnd } from '../../agents/contract.ts';
import { Activity, systemClock as clock } from '../../../../test/kit/index.ts';
import { type Bench, openBench } from '../executor/testing/host.ts';
import { nativePrograms } from '../native/build.mjs';
import { Isolation } from './isolation.ts';
import { lacking, leaveOut } from '../../../../test/kit/needs.ts';

t.setTimeout(600_000);

const ids: Ids = { next: (prefix) => `${prefix}_1`, bytes: (count) => randomBytes(count) };

/** Nothing to test on a machine whose kernel has no namespaces for this user. */
const missing = await new Isolation({ env: process.env, ids, node: process.execPath }).findProblem();

async function bench(t: Test): Promise<Bench> {
  const opened = await openBench({ clock, ids, native: true });
  t.teardown(() => opened.close());
  return opened;
}

/** A folder that every user of the machine may enter. */
async function open(prefix: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  await chmod(folder, 0o755);
  return folder;
}

/** A folder with a file that an isolated run must not see. The folder of the tests may be another one than /tmp. */
async function secretIn(t: Test, parent: string, content = 'canary'): Promise<string> {
  const folder = await mkdtemp(join(parent, 'svc-secret-'));
  t.teardown(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'value'), content);
  return folder;
}

function output(end: PassEnd): Record<string, unknown> {
  if (end.end === 'completed' && end.completion.status === 'succeeded')
    return end.completion.output as Record<string, unknown>;
  throw new Error(`not a success: ${JSON.stringify(end)}`);
}

function failure(end: PassEnd): string {
  if (end.end === 'completed' && end.completion.status === 'failed')
    return `${end.completion.code}: ${end.completion.message}`;
  throw new Error(`not a failure: ${JSON.stringify(end)}`);
}

t.test('an untrusted script', lacking('isolation', missing), async (t) => {
  const { finish, runtime_dir } = await bench(t);
  const run = (source: string, more = {}) =>
    finish(new Activity(), { source, filename: 'job.sh', trusted: false, ...more });

  t.test('runs with all verbs, and is replayed', async (t) => {
    const activity = new Activity();
    const source = `
      svc step build -- sh -c 'echo built > made; cat made'
      svc sleep 1h
      svc step where -- pwd
      svc output set home="$HOME" tmp="$TMPDIR" left="$(ls)"
    `;
    const said = output(await finish(activity, { source, filename: 'job.sh', trusted: false }));
    t.match(said.home, runtime_dir);
    t.equal(said.tmp, '/tmp');
    t.equal(said.left, '', 'each pass has a new folder');
    t.match(activity.sites(), [/build/, /sleep/, /where/]);
  });

  t.test('sees no process but its own, and no file of others', async (t) => {
    const [secret, common] = await Promise.all([secretIn(t, tmpdir()), secretIn(t, '/tmp')]);
    const said = output(
      await run(`
        svc output set \\
          processes="$(ls -d /proc/[0-9]* | wc -l)" \\
          agent="$(cat /proc/$SVC_AGENT_PID/environ 2>/dev/null | wc -c)" \\
          secret="$(cat ${secret}/value 2>&1 || true)" \\
          common="$(cat ${common}/value 2>&1 || true)" \\
          others="$(ls ${runtime_dir})" \\
          home="$(ls -A /root /home /srv /opt /var /run 2>/dev/null || true)" \\
          user="$(id -u)" \\
          privileges="$(grep -E '^(CapEff|CapPrm|CapBnd|NoNewPrivs)' /proc/self/status | cut -f2 | tr '\\n' ' ')"
      `),
    );
    t.ok(Number(said.processes) < 8, `it sees ${said.processes} processes`);
    t.equal(said.agent, '0');
    t.match(said.secret, /No such file/);
    t.match(said.common, /No such file/);
    t.match(said.others, /^bin\nnode_modules\np[0-9a-f]+\nsdk$/, 'of the agent it sees its tools and its own pass');
    t.equal(said.home, '');
    t.equal(said.privileges, '0000000000000000 0000000000000000 0000000000000000 1 ');
    if (process.getuid?.() === 0) t.ok(Number(said.user) >= 61_184, 'another user than the agent');
  });

  t.test('writes nothing of the machine, and nothing that its agent reads for others', async (t) => {
    const said = output(
      await run(`
        try() { "$@" 2>/dev/null && echo done || echo refused; }
        folder=$(dirname "$SVC_INPUT_FILE")
        tools=$(dirname "$(command -v -p svc || type -P svc)")
        svc output set \\
          system="$(try touch /usr/x /etc/x)" source="$(try touch "$folder/source/x")" \\
          input="$(try sh -c 'echo x >> "$SVC_INPUT_FILE"')" tools="$(try touch "$tools/x")" \\
          sdk="$(try touch ${runtime_dir}/node_modules/svc/x)" \\
          remount="$(try unshare -U -r -m mount -o remount,rw /usr)" own="$(try touch x /tmp/x "$HOME/x")"
      `),
    );
    const { own, ...rest } = said;
    t.equal(own, 'done');
    t.same(new Set(Object.values(rest)), new Set(['refused']));
  });

  t.test('names no file to its agent that it cannot see itself, by no link either', async (t) => {
    const secret = await secretIn(t, '/tmp', 'echo canary');
    const activity = new Activity();
    const end = await finish(activity, {
      filename: 'job.sh',
      trusted: false,
      source: `
        ln -s ${secret} folder; ln -s ${secret}/value file; echo 'echo mine' > own; mkdir below; cp own below/own
        svc spawn ${secret}/value || true
        svc spawn folder/value || true
        svc spawn file || true
        svc spawn /tmp/../${secret}/value || true
        svc spawn below/own || true
      `,
    });
    t.same(output(end), {});
    const spawned = activity.journal.filter(({ kind }) => kind === 'spawn');
    t.equal(spawned.filter(({ exit_code }) => exit_code === 0).length, 1, 'only its own file');
    t.notMatch(JSON.stringify(activity), /canary/);
  });

  t.test('does not learn from its agent what lies on the machine', async (t) => {
    const secret = await secretIn(t, '/tmp', 'canary');
    const { there, absent, file } = output(
      await run(`
          echo 'echo mine' > own
          said() { svc spawn own --root "$1" 2>&1 | grep -v '^run_' | sed "s,$1,it,g"; }
          svc output set there="$(said ${secret})" file="$(said ${secret}/value)" absent="$(said ${secret}/absent)"
        `),
    ) as Record<string, string>;
    t.equal(there, absent);
    t.equal(file, absent);
  });

  t.test('is told nothing by the process that isolates it, and makes no namespace', async (t) => {
    const said = output(
      await run(`
          try() { "$@" >/dev/null 2>&1 && echo done || echo refused; }
          keys='import ctypes, sys; sys.exit(ctypes.CDLL(None).syscall(248, b"user", b"svc", b"x", 1, -4) < 0)'
          [ "$(uname -m)" = x86_64 ] || keys='raise SystemExit(1)'
          svc output set \\
            files="$(try ls /proc/1/fd)" memory="$(try cat /proc/1/environ)" program="$(try chmod 777 /proc/1/exe)" \\
            user="$(try unshare -U true)" mounts="$(try unshare -U -r -m true)" keys="$(try python3 -c "$keys")" \\
            arguments="$(try grep -a -e --hide /proc/1/cmdline)"
        `),
    );
    t.same(new Set(Object.values(said)), new Set(['refused']), JSON.stringify(said));
  });

  t.test('is refused the calls with which kernels are attacked most', async (t) => {
    const ask = `
import ctypes, errno, os, platform
numbers = {'io_uring_setup': 425, 'io_uring_enter': 426, 'io_uring_register': 427}
numbers |= {'bpf': 280, 'perf_event_open': 241} if platform.machine() == 'aarch64' else {'bpf': 321, 'perf_event_open': 298}
c = ctypes.CDLL(None, use_errno=True)
zeros = ctypes.create_string_buffer(256)
for name, number in numbers.items():
    ctypes.set_errno(0)
    answer = c.syscall(number, 1, zeros, 64, -1, -1, 0)
    print(name, 'done' if answer >= 0 else errno.errorcode[ctypes.get_errno()])
`;
    const activity = new Activity();
    output(await finish(activity, { source: ask, filename: 'ask.py', trusted: false }));
    const names = ['io_uring_setup', 'io_uring_enter', 'io_uring_register', 'bpf', 'perf_event_open'];
    t.equal(activity.text(), names.map((name) => `${name} EPERM\n`).join(''));
  });

  t.test('has sockets of its network and of its own machine, and no others', async (t) => {
    const ask = `
import errno, socket
for name, family in {'unix': 1, 'inet': 2, 'netlink': 16, 'inet6': 10, 'packet': 17, 'alg': 38, 'vsock': 40}.items():
    try: socket.socket(family, socket.SOCK_DGRAM).close(); print(name, 'opened')
    except OSError as e: print(name, errno.errorcode[e.errno])
try: socket.socketpair(40); print('opened')
except OSError as e: print(errno.errorcode[e.errno])
`;
    const activity = new Activity();
    output(await finish(activity, { source: ask, filename: 'ask.py', trusted: false }));
    const opened = ['unix', 'inet', 'netlink', 'inet6'].map((name) => `${name} opened\n`);
    const refused = ['packet', 'alg', 'vsock'].map((name) => `${name} EAFNOSUPPORT\n`);
    t.equal(activity.text(), [...opened, ...refused, 'EAFNOSUPPORT\n'].join(''));
  });

  t.test('prints by name, has a name itself, and terminals of its own', async (t) => {
    const activity = new Activity();
    const source = `
        echo one > /dev/stdout; echo two > /dev/stderr; svc step named -- sh -c 'echo three > /dev/stdout'
        svc output set user="$(id -un)" terminal="$(python3 -c 'import pty; print(len(pty.openpty()))')"
      `;
    const said = output(await finish(activity, { source, filename: 'job.sh', trusted: false }));
    t.equal(said.terminal, '2');
    if (process.getuid?.() === 0) t.equal(said.user, 'svc-run');
    t.match(activity.text(), /one.*three/s);
    t.match(activity.text('stderr'), /two/);
  });

  t.test('leaves nothing behind, however deep and closed it is', async (t) => {
    const deep = 'import os\nfor n in range(3000): os.mkdir("d"); os.chdir("d")';
    output(await run(`mkdir closed; touch closed/file; chmod 0 closed; python3 -c '${deep}'`));
    t.match(readdirSync(runtime_dir).sort().join(' '), /^bin node_modules reports root sdk$/);
    t.same(readdirSync(join(runtime_dir, 'reports')), []);
  });

  t.test('has the verbs of scripts, and no other command of svc', async (t) => {
    const away = join(tmpdir(), 'svc-not-in-sight', 'main.mjs');
    const cli = await openBench({ clock, ids, native: true, cli: [process.execPath, away] });
    t.teardown(() => cli.close());
    const source = `svc output set said="$(svc runs ls 2>&1 || echo "exit $?")"`;
    t.match(output(await cli.finish(new Activity(), { source, filename: 'x.sh', trusted: false })), {
      said: /`svc runs` is not available here: an isolated run has only the verbs.*\nexit 1$/s,
    });
  });

  t.test('ends as it ends: by exit code, by signal, and with all that it left behind', async (t) => {
    t.match(failure(await run('exit 7')), /exit code 7/);
    t.match(failure(await run('kill -SEGV $$')), /SIGSEGV/);
    const began = performance.now();
    output(await run('sleep 600 & setsid sleep 600 & exit 0'));
    t.ok(performance.now() - began < 60_000);
  });

  t.test('says what is out of its sight', async (t) => {
    const folder = await open('svc-tools-');
    t.teardown(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'strange'), '#!/bin/sh\n', { mode: 0o755 });
    const env = { ...process.env, PATH: `${process.env.PATH}:${folder}` };
    const blind = await openBench({ clock, ids, native: true, env });
    t.teardown(() => blind.close());
    const script = { source: '', filename: 'x', interpreter: 'strange', trusted: false };
    t.match(failure(await blind.finish(new Activity(), script)), /interpreter_missing: .*strange.*--show/);
    const shown = await openBench({ clock, ids, native: true, env: { ...env, SVC_AGENT_SHOW: folder } });
    t.teardown(() => shown.close());
    t.same(output(await shown.finish(new Activity(), script)), {});
    t.match(failure(await run('', { interpreter: './nothing' })), /script_not_started.*isolation.*nothing/);
  });

  t.test('a token file below a shown folder is hidden', async (t) => {
    const folder = await open('svc-shown-');
    t.teardown(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'real'), 'canary', { mode: 0o644 });
    await symlink(join(folder, 'real'), join(folder, 'token'));
    const env = { ...process.env, SVC_AGENT_SHOW: folder, SVC_TOKEN_FILE: join(folder, 'token') };
    const hiding = await openBench({ clock, ids, native: true, env });
    t.teardown(() => hiding.close());
    const source = `svc output set token="$(cat ${folder}/token ${folder}/real)" files="$(ls ${folder})"`;
    t.same(output(await hiding.finish(new Activity(), { source, filename: 'x.sh', trusted: false })), {
      token: '',
      files: 'real\ntoken',
    });
  });

  t.test('what svc keeps on the machine is hidden below a shown folder too', async (t) => {
    const folder = await open('svc-shown-');
    t.teardown(() => rm(folder, { recursive: true }));
    const files = [
      '.svc/master.key',
      '.config/svc/profile.json',
      'own/svc.db',
      'own/svc.db-wal',
      'keys/master',
      'other',
    ];
    for (const path of ['.svc', '.config/svc', 'own', 'keys']) await mkdir(join(folder, path), { recursive: true });
    for (const file of files) await writeFile(join(folder, file), 'canary');
    const own = { HOME: folder, SVC_AGENT_SHOW: folder, SVC_DATABASE_URL: `sqlite:${folder}/own/svc.db` };
    const env = { ...process.env, ...own, SVC_MASTER_KEY_FILE: `${folder}/keys/master` };
    const isolation = new Isolation({ env, ids, node: process.execPath, home: join(folder, '.svc') });
    const hiding = await openBench({ clock, ids, native: true, env, isolation });
    t.teardown(() => hiding.close());
    const source = `cd ${folder}; svc output set seen="$(grep -l canary ${files.join(' ')} 2>/dev/null)"`;
    const end = await hiding.finish(new Activity(), { source, filename: 'x.sh', trusted: false });
    t.same(output(end), { seen: 'other' });
  });

  t.test('a folder shown in a hidden one opens nothing else there', async (t) => {
    const folder = await open('svc-shown-');
    t.teardown(() => rm(folder, { recursive: true }));
    const files = ['.svc/master.key', '.svc/tools/deep/tool', '.svc/tools/deep/key', '.svc/tools/token/value', 'other'];
    for (const path of ['.svc/tools/deep', '.svc/tools/token']) await mkdir(join(folder, path), { recursive: true });
    for (const file of files) await writeFile(join(folder, file), 'canary');
    const source = `
      cd ${folder}; svc output set seen="$(grep -l canary ${files.join(' ')} 2>/dev/null)" names="$(ls -A .svc .svc/tools/token)" \
        written="$(touch .svc/x .svc/tools/x .svc/tools/deep/x 2>/dev/null && echo yes)"`;
    // The order in which an owner names them is of no account.
    for (const shown of [`${folder}/.svc/tools/deep:${folder}`, `${folder}:${folder}/.svc/tools/deep`]) {
      const env = {
        ...{ ...process.env, SVC_AGENT_SHOW: shown, SVC_MASTER_KEY_FILE: `${folder}/.svc/tools/deep/key` },
        SVC_ARTIFACTS: `${folder}/.svc/tools`,
      };
      const isolation = new Isolation({ env, ids, node: process.execPath, home: join(folder, '.svc') });
      const hiding = await openBench({ clock, ids, native: true, env, isolation });
      t.teardown(() => hiding.close());
      const end = await hiding.finish(new Activity(), { source, filename: 'x.sh', trusted: false });
      t.same(output(end), { seen: '.svc/tools/deep/tool\nother', names: '.svc:\ntools', written: '' }, shown);
    }
  });

  t.test('Python and TypeScript with their SDKs', async (t) => {
    const python = 'import svc_sdk as svc\nsvc.step("a", lambda: 1)\nsvc.output.set(ok=True)\n';
    t.same(output(await finish(new Activity(), { source: python, filename: 'a.py', trusted: false })), { ok: true });
    const script = `import { step, output } from 'svc/sdk';\nawait step('a', () => 1);\nawait output.set({ ok: true });\n`;
    t.same(output(await finish(new Activity(), { source: script, filename: 'a.ts', trusted: false })), { ok: true });
  });
});

t.test('programs of one job, one after the other', lacking('isolation', missing), async (t) => {
  // Below /tmp, of which the run has one of its own.
  const runtime_dir = await mkdtemp('/tmp/svc-job-');
  const victim = await mkdtemp('/tmp/svc-victim-');
  const folder = join(runtime_dir, 'j1');
  t.teardown(() => Promise.all([runtime_dir, victim].map((path) => rm(path, { recursive: true, force: true }))));
  await mkdir(folder);
  const isolation = new Isolation({ env: process.env, ids, node: process.execPath });
  const agent = { id: '', name: '', pid: 1, workdir: '/', runtime_dir, isolate_all: false };
  const ground = await isolation.openSandbox({ trusted: false, project_id: 'prj_1' }, agent, {
    runtime_dir,
    folder,
    tools: [],
  });
  t.teardown(() => ground.close());
  const run = async (source: string) => {
    const env = { PATH: '/usr/bin:/bin', LD_PRELOAD: '/nothing.so', SVC_CANARY: 'x' };
    const {
      argv,
      env: own,
      cwd,
    } = ground.toSpawnRequest({ argv: ['/bin/sh', '-c', source], env, cwd: ground.workdir });
    t.same(
      Object.keys(own).filter((name) => !name.startsWith('SVCENV_')),
      [],
      'what isolates has no variable of theirs',
    );
    const { status, signal, stdout } = spawnSync(argv[0]!, argv.slice(1), { env: own, cwd });
    return { ...(await ground.interpretEnd({ exit_code: status, signal })), stdout: String(stdout) };
  };
  t.match(await run('echo kept > /tmp/file; echo $SVC_CANARY'), { exit_code: 0, stdout: 'x\n' });
  t.match(await run('cat /tmp/file'), { exit_code: 0, stdout: 'kept\n' });
  const top = runtime_dir.split('/').slice(0, 3).join('/');
  await run(`mv ${top} /tmp/was; ln -s ${victim} ${top}`);
  t.match(await run('echo never'), { exit_code: null, error: /could not be started in isolation/ });
  t.same(readdirSync(victim), [], 'nothing was made where the link leads');
});

t.test(
  'a machine that cannot isolate runs nothing untrusted',
  lacking('cc', (await nativePrograms()).why),
  async (t) => {
    const isolation = new Isolation({ env: process.env, ids, node: process.execPath, native: false });
    t.match(await isolation.findProblem(), /not compiled/);
    const opened = await openBench({ clock, ids, native: true, isolation });
    t.teardown(() => opened.close());
    const script = { source: 'svc output set ran=yes', filename: 'x.sh', trusted: false };
    await t.rejects(opened.finish(new Activity(), script), /cannot isolate/);
    t.same(output(await opened.finish(new Activity(), { ...script, trusted: true })), { ran: 'yes' });
  },
);

/** The same once more, as a user without privileges: there a user namespace does it. */
const NOBODY = 65_534;
if (process.getuid?.() === 0)
  t.test('as an ordinary user', async (t) => {
    const home = await mkdtemp(join(tmpdir(), 'svc-nobody-'));
    t.teardown(() => rm(home, { recursive: true, force: true }));
    await chown(home, NOBODY, NOBODY);
    const env = { PATH: process.env.PATH, HOME: home, TMPDIR: home };
    const other = { uid: NOBODY, gid: NOBODY, env, cwd: home };
    const seen = spawnSync(
      process.execPath,
      ['-e', `require('fs').accessSync(${JSON.stringify(import.meta.filename)})`],
      other,
    );
    if (seen.status !== 0) return leaveOut(t, 'other users');
    const { status, stdout } = spawnSync(process.execPath, [import.meta.filename], other);
    t.equal(status, 0, stdout.toString());
    t.match(stdout.toString(), /ok \d+ - sees no process but its own/);
  });
