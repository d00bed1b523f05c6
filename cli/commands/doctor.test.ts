import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import t from 'tap';

t.setTimeout(300_000);

const clone = resolve(import.meta.dirname, '../..');
const NATIVE = 'plugins/execution/scripts/native';
const LEFT = ['.git', '.tap', 'node_modules', 'reports', `${NATIVE}/build`, 'plugins/operations/console/web/dist'];
const skip = process.platform !== 'linux' && 'there are native programs for Linux only';

t.test('where npm has run no script, it compiles the native programs or says what is missing', { skip }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-doctor-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const copy = join(folder, 'svc');
  cpSync(clone, copy, { recursive: true, filter: (from) => !LEFT.includes(relative(clone, from)) });
  symlinkSync(join(clone, 'node_modules'), join(copy, 'node_modules'));
  // Nothing is compiled where others can write.
  for (const path of ['', 'plugins', 'plugins/execution/scripts', NATIVE]) chmodSync(join(copy, path), 0o755);
  const home = join(folder, 'home');
  mkdirSync(home, { mode: 0o700 });
  const doctor = (path: string) =>
    spawnSync(process.execPath, [join(copy, 'cli/main.mjs'), 'doctor'], {
      cwd: home,
      env: { PATH: path, HOME: home, TMPDIR: folder },
    });
  const without = doctor('/nowhere');
  t.equal(without.status, 1);
  t.match(
    without.stdout.toString(),
    /FAIL +native +no C compiler .*→ install a C compiler \(`apt install gcc libc6-dev`.*then `svc doctor`/,
  );
  const { PATH = '' } = process.env;
  if (spawnSync('cc', ['--version']).status !== 0) return t.comment('the rest takes a compiler');
  const compiled = join(copy, NATIVE, 'build', `${process.platform}-${process.arch}`);
  t.ok(doctor(PATH).stdout.includes(`compiled, in ${compiled}`), 'it was compiled by the command itself');
});
