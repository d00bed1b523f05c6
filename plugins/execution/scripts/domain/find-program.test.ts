import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { findProgram } from './interpreter.ts';

t.test('a program is found where it is now, not where it was', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-path-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const [first, second] = [join(folder, 'first'), join(folder, 'second')];
  for (const one of [first, second]) {
    await mkdir(one);
    await writeFile(join(one, 'tool'), '', { mode: 0o755 });
  }
  const path = `${first}:${second}`;
  t.equal(await findProgram('tool', path, '/'), join(first, 'tool'));
  t.equal(await findProgram('tool', `${second}:${first}`, '/'), join(second, 'tool'), 'each PATH has its own answer');
  await chmod(join(first, 'tool'), 0o644);
  t.equal(await findProgram('tool', path, '/'), join(second, 'tool'), 'it may no longer be run');
  await rm(join(second, 'tool'));
  t.equal(await findProgram('tool', path, '/'), undefined, 'it is gone');
  await writeFile(join(second, 'tool'), '', { mode: 0o755 });
  t.equal(await findProgram('tool', path, '/'), join(second, 'tool'), 'it is back');
});
