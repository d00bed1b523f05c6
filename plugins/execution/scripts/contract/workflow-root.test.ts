import { readFileSync, mkdirSync, realpathSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { isWithin, openWithin, resolveRoot, resolveWithin } from './workflow-root.ts';

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
  const root = await resolveRoot(join(folder, 'mine/run.sh'), { env: {} });
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
    message: /^lib\/a\.txt is outside .*\/mine \(it is .*\/other\/a\.txt\)/,
  });
  t.same(looked, [path, join(folder, 'other/a.txt')]);
});

t.test('the root of a workflow that is reached by links', async (t) => {
  const folder = realpathSync(t.testdir({ real: { jobs: {} }, other: {} }));
  mkdirSync(join(folder, 'links'));
  symlinkSync(join(folder, 'real'), join(folder, 'links/there'));
  writeFileSync(join(folder, 'real/jobs/a.sh'), '');
  const file = join(folder, 'links/there/jobs/a.sh');
  t.match(await resolveRoot(file, { env: {} }), {
    real: join(folder, 'real/jobs'),
    shown_path: join(folder, 'links/there/jobs'),
  });
  t.match(await resolveRoot(file, { chosen: join(folder, 'real'), env: {} }), {
    real: join(folder, 'real'),
    next: /parent folder/,
  });
  await t.rejects(resolveRoot(file, { chosen: join(folder, 'links'), env: {} }), { message: /is outside/ });
});

t.test('files of svc itself are not opened, and only below the root', async (t) => {
  const files = { 'run.sh': '', 'mine.txt': '', '.svc': { 'profile.json': '{}', jobs: { 'a.sh': '', 'b.txt': '' } } };
  const folder = realpathSync(t.testdir(files));
  symlinkSync('.svc/profile.json', join(folder, 'link.json'));
  const root = await resolveRoot(join(folder, 'run.sh'), { env: {} });
  const refused = { name: 'Error', message: /where svc keeps keys/, next: /another folder/ };
  for (const name of ['.svc/profile.json', 'link.json', '.svc/jobs/b.txt']) {
    await t.rejects(openWithin(root, join(folder, name), name), refused, name);
    await t.rejects(
      openWithin(root, join(folder, name), name, () => true),
      refused,
      name,
    );
    await t.rejects(resolveWithin(root, join(folder, name), name), refused, name);
  }
  const inner = await resolveRoot(join(folder, '.svc/jobs/a.sh'), { env: {} });
  for (const [at, name] of [
    [root, 'mine.txt'],
    [inner, '.svc/jobs/b.txt'],
  ] as const)
    await (await openWithin(at, join(folder, name), name)).close();
});

t.test('a file that a setting names is not read for a workflow, whichever setting it is', async (t) => {
  const folder = realpathSync(
    t.testdir({ 'run.sh': '', keys: { key: 'x' }, '.config': { svc: { 'profile.json': '{}' } } }),
  );
  const path = join(folder, 'keys/key');
  for (const name of [...fileSettings(), 'SVC_MASTER_KEY_FILE', 'OTEL_EXPORTER_OTLP_CLIENT_KEY']) {
    const root = await resolveRoot(join(folder, 'run.sh'), { env: { [name]: path } });
    await t.rejects(resolveWithin(root, path, 'keys/key'), { message: `keys/key is a file of svc (${name})` }, name);
    await t.rejects(openWithin(root, path, 'keys/key'), { message: /is a file of svc/ }, name);
  }
  for (const name of ['SVC_PLUGINS', 'SVC_CONNECTORS', 'SVC_INPUT_FILE', 'SVC_WORKSPACE', 'PATH']) {
    const root = await resolveRoot(join(folder, 'run.sh'), { env: { [name]: path } });
    t.equal(await resolveWithin(root, path, 'keys/key'), path, name);
  }
  const home = await resolveRoot(join(folder, 'run.sh'), { env: { HOME: folder } });
  const profile = join(folder, '.config/svc/profile.json');
  await t.rejects(resolveWithin(home, profile, 'profile'), { message: /is a file of svc \(stored logins\)/ });
  const inner = await resolveRoot(join(folder, 'keys/run.sh'), {
    env: { CREDENTIALS_DIRECTORY: join(folder, 'keys') },
  });
  t.equal(await resolveWithin(inner, path, 'key'), path, 'a workflow among them has its own files');
});

/** All settings that end in `_FILE`, as the documentation has them. */
const fileSettings = () =>
  new Set(
    readFileSync(new URL('../../../../docs/configuration.md', import.meta.url), 'utf8').match(
      /\bSVC_[A-Z0-9_]+_FILE\b/g,
    ),
  );
