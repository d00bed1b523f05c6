import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { runToEnd } from '../../features/support/process.ts';
import { clone } from '../../features/support/target.ts';
import * as kit from '../kit/index.ts';

const readme = readFileSync(join(clone, 'test/kit/README.md'), 'utf8');

t.setTimeout(600_000);

t.test('the example of the README passes in a folder that has svc installed', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-kit-readme-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(clone, join(folder, 'node_modules/svc'));
  const [, example = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(readme) ?? [];
  writeFileSync(join(folder, 'hello.test.ts'), example);
  const env = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? '']));
  const bounds = { cwd: folder, env, bound_ms: 120_000 };
  const { exit, stdout, stderr } = await runToEnd(process.execPath, ['hello.test.ts'], bounds);
  t.equal(exit, 0, stdout + stderr);
  t.match(stdout, /pass [12]\n/);
});

t.test('the README names everything that the kit offers', async (t) => {
  for (const name of Object.keys(kit)) t.match(readme, new RegExp(`\\b${name}\\b`), name);
});
