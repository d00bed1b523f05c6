import { mkdirSync, realpathSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { isWithin, openWithin, rootOf } from './workflow-root.ts';

t.test('what lies in a folder', (t) => {
  for (const [path, within] of [
    ['/a/b', true],
    ['/a/b/c', true],
    ['/a/b/..c', true],
    ['/a/bc', false],
    ['/a', false],
    ['/', false],
  ] as const)
    t.equal(isWithin('/a/b', path), within, path);
  t.ok(isWithin('/', '/a'));
  t.end();
});

t.test('a folder that becomes a link while a file of it is opened', async (t) => {
  const folder = realpathSync(
    t.testdir({ mine: { lib: { 'a.txt': 'mine' }, 'run.sh': '' }, other: { 'a.txt': 'no' } }),
  );
  const root = await rootOf(join(folder, 'mine/run.sh'));
  const path = join(folder, 'mine/lib/a.txt');
  const file = await openWithin(root, path, 'lib/a.txt');
  t.equal(await file.readFile('utf8'), 'mine');
  await file.close();
  const looked: string[] = [];
  const exchanged = (real: string): boolean => {
    looked.push(real);
    // Behind the first look, before the file is opened.
    if (looked.length === 1) {
      renameSync(join(folder, 'mine/lib'), join(folder, 'mine/gone'));
      symlinkSync(join(folder, 'other'), join(folder, 'mine/lib'));
    }
    return isWithin(root.real, real);
  };
  await t.rejects(openWithin(root, path, 'lib/a.txt', exchanged), {
    message: /^lib\/a\.txt lies outside of .*\/mine \(it is .*\/other\/a\.txt\)/,
  });
  t.same(looked, [path, join(folder, 'other/a.txt')]);
});

t.test('the root of a workflow that is reached by links', async (t) => {
  const folder = realpathSync(t.testdir({ real: { jobs: {} }, other: {} }));
  mkdirSync(join(folder, 'links'));
  symlinkSync(join(folder, 'real'), join(folder, 'links/there'));
  writeFileSync(join(folder, 'real/jobs/a.sh'), '');
  const file = join(folder, 'links/there/jobs/a.sh');
  t.match(await rootOf(file), { real: join(folder, 'real/jobs'), said: join(folder, 'links/there/jobs') });
  t.match(await rootOf(file, join(folder, 'real')), { real: join(folder, 'real'), next: /wider/ });
  await t.rejects(rootOf(file, join(folder, 'links')), { message: /lies outside of/ });
});
