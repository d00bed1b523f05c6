import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';

t.test('the demonstration tells its story and leaves nothing behind', { timeout: 600_000 }, async (t) => {
  const temporary = mkdtempSync(join(tmpdir(), 'svc-demo-test-'));
  t.teardown(() => rmSync(temporary, { recursive: true, force: true }));
  const env = { ...process.env, TMPDIR: temporary };
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, 'demo.ts')], {
    env,
    encoding: 'utf8',
  });
  t.equal(status, 0, stderr);
  t.match(stdout, /5 {2}wait-signal {2}approved#0 +exit 0/);
  t.match(stdout, /status {4}succeeded/);
  t.equal(
    stdout.split('https://example.org/releases/1\n').length - 1,
    2,
    'recorded output stands in the steps and once in the log',
  );
  t.same(readdirSync(temporary), []);
});
