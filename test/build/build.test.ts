import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { clone, packageVersion } from '../../features/support/target.ts';

t.test('the published package runs by itself', { timeout: 180_000 }, async (t) => {
  const built = spawnSync(process.execPath, ['cli/build.mjs'], { cwd: clone, encoding: 'utf8' });
  t.equal(built.status, 0, built.stdout + built.stderr);
  const folder = mkdtempSync(join(tmpdir(), 'svc-built-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const svc = (...args: string[]) =>
    spawnSync(process.execPath, [join(clone, 'dist/cli/main.mjs'), ...args], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env.PATH ?? '', HOME: folder },
    });
  t.equal(svc('--version').stdout.trim(), packageVersion);
  t.match(svc('plugins').stdout, /scripts 0\.1\.0/);
  writeFileSync(join(folder, 'hello.sh'), 'name=$(svc step who -- echo you)\nsvc sleep 10ms\necho "hello $name"\n');
  const ran = svc('run', 'hello.sh');
  t.equal(ran.status, 0, ran.stderr);
  t.equal(ran.stdout, 'hello you\n');
});
