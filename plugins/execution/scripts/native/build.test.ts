import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import type { NativePrograms } from './native-programs.ts';

const clone = join(import.meta.dirname, '../../../..');
const hasCompiler = process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0;

/** The package as npm lays it down when it runs no script: sources, and nothing compiled. `mode` is that of its folder. */
function packageOf(t: Test, mode: number) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-native-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const native = join(folder, 'svc/plugins/execution/scripts/native');
  for (const path of ['plugins/execution/scripts/native', 'kernel/contracts'])
    cpSync(join(clone, path), join(folder, 'svc', path), {
      recursive: true,
      filter: (from) => !from.endsWith('/build'),
    });
  chmodSync(native, mode);
  const home = join(folder, 'home');
  mkdirSync(home, { mode: 0o700 });
  const env = { PATH: process.env.PATH ?? '', HOME: home };
  return { native, home, env, built: join(native, 'build'), cache: join(home, '.cache/svc/native') };
}

/** Asks for the programs as a process of its own. */
async function ask({ native, env }: ReturnType<typeof packageOf>, more: object = {}): Promise<NativePrograms> {
  const builder = join(native, 'build.mjs');
  const child = spawn(process.execPath, [builder, '--json'], {
    env: { ...env, ...more },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(await text(child.stdout)) as NativePrograms;
}

t.test('where others can write to the package, the cache of the user has the programs', async (t) => {
  if (!hasCompiler) return t.comment('it takes a compiler');
  const made = packageOf(t, 0o777);
  const [one, other] = await Promise.all([ask(made), ask(made)]);
  t.equal(one.why, undefined);
  t.same(one, other, 'two that compile at once have the same');
  t.notOk(existsSync(made.built), 'nothing is put where others can write');
  const [folder = ''] = [...new Set(Object.values(one.programs).map((path) => dirname(path)))];
  t.equal(dirname(folder), made.cache);
  t.same(readdirSync(folder).sort(), Object.keys(one.programs).sort(), 'whole programs and no drafts');
  t.equal(statSync(folder).mode & 0o077, 0);
  const before = statSync(one.programs.spawner!).mtimeMs;
  t.same(await ask(made, { PATH: '/nowhere' }), one, 'the next use finds them');
  t.equal(statSync(one.programs.spawner!).mtimeMs, before);
});

t.test('a cache that others can write to is not used', async (t) => {
  const made = packageOf(t, 0o777);
  mkdirSync(made.cache, { recursive: true });
  chmodSync(made.cache, 0o777);
  const { programs, why } = await ask(made);
  t.same(programs, {});
  t.match(why, /neither the package nor the cache is a folder that only this user can write to/);
  t.same(readdirSync(made.cache), []);
});

t.test('without a compiler it says so, and leaves nothing', async (t) => {
  const made = packageOf(t, 0o755);
  const { programs, why } = await ask(made, { PATH: '/nowhere' });
  t.same(programs, {});
  t.match(why, /no C compiler/);
  t.same(
    existsSync(made.built)
      ? readdirSync(made.built, { recursive: true }).filter((name) => `${name}`.endsWith('.draft'))
      : [],
    [],
  );
});
