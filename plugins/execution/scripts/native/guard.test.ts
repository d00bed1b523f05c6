import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { nativePrograms } from './build.mjs';
import { SECRET } from './guard-process.ts';
import { lacking, leaveOut } from '../../../../test/kit/needs.ts';

const { programs } = await nativePrograms();
const native = lacking('cc', programs.guard === undefined);

/** Reads its token, loads the guard, and says so. */
const PROGRAM = `
  const token = process.env.SVC_TOKEN;
  process.dlopen({ exports: {} }, process.argv[1]);
  console.log(token.length, process.env.SVC_OTHER);
  setInterval(() => {}, 1000);
`;

async function guarded(t: Test, uid?: number): Promise<ChildProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-guard-'));
  chmodSync(folder, 0o755);
  const guard = join(folder, 'guard.node');
  copyFileSync(programs.guard!, guard);
  const secrets = Object.fromEntries(SECRET.map((name) => [name, 'canary-token']));
  const env = { ...secrets, SVC_OTHER: 'kept' };
  const child = spawn(process.execPath, ['-e', PROGRAM, guard], {
    env,
    uid,
    gid: uid,
    cwd: '/',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });
  const [said] = await once(child.stdout!, 'data');
  t.equal(String(said), '12 kept\n', 'it read its token before');
  return child;
}

t.test('the secrets of the first environment are overwritten', native, async (t) => {
  const child = await guarded(t);
  const environ = readFileSync(`/proc/${child.pid}/environ`, 'latin1');
  t.notMatch(environ, /canary/);
  for (const name of SECRET) t.match(environ, new RegExp(`(?:^|\\0)${name}=\\0`));
  t.match(environ, /SVC_OTHER=kept/);
});

const NOBODY = 65_534;
const root = process.getuid?.() === 0;

t.test(
  'another program of the same user cannot read its memory',
  { ...lacking('root', !root), ...native },
  async (t) => {
    const other = { uid: NOBODY, gid: NOBODY, cwd: '/' };
    if (spawnSync(process.execPath, ['-e', ''], other).status !== 0) return leaveOut(t, 'other users');
    const read = (pid: number | undefined) => spawnSync('cat', [`/proc/${pid}/environ`], other);
    const open = spawn('sleep', ['60'], { ...other, env: { SVC_TOKEN: 'canary-token', PATH: process.env.PATH } });
    t.teardown(() => open.kill('SIGKILL'));
    t.match(String(read(open.pid).stdout), /canary-token/, 'what is not guarded can be read');
    const child = await guarded(t, NOBODY);
    const { stdout, stderr } = read(child.pid);
    t.equal(String(stdout), '');
    t.match(String(stderr), /Permission denied/);
  },
);

/** Holds one of many small pieces of memory, gives back what is free between them, and tells what is resident. */
const SPREAD = `
  const guard = { exports: {} };
  process.dlopen(guard, process.argv[1]);
  const held = Array.from({ length: 40_000 }, () => Buffer.allocUnsafeSlow(2000).fill(1)).filter((_, n) => n % 40 === 0);
  const measure = () => {
    gc();
    if (process.memoryUsage().arrayBuffers > 4_000_000) return setImmediate(measure);
    const before = process.memoryUsage.rss();
    const answer = guard.exports.giveBack();
    console.log(JSON.stringify({ before, after: process.memoryUsage.rss(), held: held.length, answer: String(answer) }));
  };
  setImmediate(measure);
`;

t.test('what the C library holds free between pieces in use is given back', native, async (t) => {
  const { stdout } = spawnSync(process.execPath, ['--expose-gc', '-e', SPREAD, programs.guard!], { encoding: 'utf8' });
  const { before, after, held, answer } = JSON.parse(stdout) as Record<string, number>;
  t.equal(held, 1000);
  t.equal(answer, 'undefined');
  t.ok(before! - after! > 20e6, `${before} before, ${after} after`);
});
