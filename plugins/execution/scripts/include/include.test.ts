import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { FolderDiskView } from '../contract.ts';
import { defaultRoot, resolveRoot } from '../contract/workflow-root.ts';
import { readIncluded } from './read.ts';

/** A folder with these files; a text is the content. */
function folder(t: Test, files: Record<string, string>): string {
  const made = mkdtempSync(join(tmpdir(), 'svc-include-'));
  t.teardown(() => rmSync(made, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(made, path)), { recursive: true });
    writeFileSync(join(made, path), text);
  }
  return made;
}

const take = async (cwd: string, includes: string[], script = 'job.sh', env = {}) =>
  readIncluded({ script, includes, cwd, root: await resolveRoot(join(cwd, script), { env }) });
const paths = async (cwd: string, includes: string[], script?: string) =>
  (await take(cwd, includes, script)).files.map(({ path }) => path);

t.test('folders are taken whole, in the order of their paths, without what programs leave', async (t) => {
  const cwd = folder(t, {
    'job.sh': '',
    'lib/b.sh': 'b',
    'lib/a.sh': 'a',
    'lib/deep/c.sh': 'c',
    'lib/__pycache__/x.pyc': '',
    '.git/HEAD': '',
    '.svc/master.key': 'secret',
    'data/r.csv': 'b',
  });
  t.same(await paths(cwd, ['lib/', 'lib/a.sh', './data']), ['data/r.csv', 'lib/a.sh', 'lib/b.sh', 'lib/deep/c.sh']);
  t.same(await paths(cwd, ['.']), ['data/r.csv', 'lib/a.sh', 'lib/b.sh', 'lib/deep/c.sh'], 'without the script itself');
  t.same(await paths(join(cwd, 'data'), ['b.sh'], '../lib/a.sh'), ['b.sh'], 'relative to the script');
  const { files, contents } = await take(cwd, ['lib/b.sh', 'data']);
  t.equal(contents.size, 1, 'the same content is there once');
  t.match(files[1], { path: 'lib/b.sh', size: 1, digest: /^sha256:3e23e816/ });
});

t.test('what may be executed stays so', async (t) => {
  const cwd = folder(t, { 'job.sh': '', tool: 'x', text: 'y' });
  chmodSync(join(cwd, 'tool'), 0o755);
  const { files } = await take(cwd, ['tool', 'text']);
  t.same(
    files.map(({ path, executable }) => [path, executable]),
    [
      ['text', undefined],
      ['tool', true],
    ],
  );
});

t.test('links are followed to what lies below, and no further', async (t) => {
  const away = folder(t, { 'secret.txt': 'no' });
  const cwd = folder(t, { 'job.sh': '', 'real/a.sh': 'a' });
  symlinkSync('real', join(cwd, 'lib'));
  t.same(await paths(cwd, ['lib']), ['lib/a.sh']);
  symlinkSync(join(away, 'secret.txt'), join(cwd, 'real/secret.txt'));
  await t.rejects(paths(cwd, ['real']), { code: 'include_outside', message: /is outside / });
  rmSync(join(cwd, 'real/secret.txt'));
  symlinkSync('nothing', join(cwd, 'real/broken'));
  await t.rejects(paths(cwd, ['real']), { code: 'include_missing', message: /a broken link/ });
  rmSync(join(cwd, 'real/broken'));
  symlinkSync('..', join(cwd, 'real/up'));
  await t.rejects(paths(cwd, ['real']), { code: 'include_invalid', message: /a folder that contains it/ });
  const room = new FolderDiskView([{ visible_path: cwd, real_path: cwd }]);
  await t.rejects(readIncluded({ script: 'job.sh', includes: ['lib'], cwd, disk_view: room, root: defaultRoot(cwd) }), {
    code: 'include_outside',
  });
});

t.test('a file of svc itself is not included, by any name', async (t) => {
  const cwd = folder(t, { 'job.sh': '', '.svc/master.key': 'secret', 'lib/.svc/profile.json': '{}' });
  symlinkSync('.svc', join(cwd, 'keys'));
  symlinkSync('.svc/master.key', join(cwd, 'key'));
  for (const include of ['.svc', '.svc/master.key', 'lib/.svc/profile.json', 'keys', 'keys/master.key', 'key'])
    await t.rejects(paths(cwd, [include]), { code: 'include_outside', message: /where svc keeps keys/ }, include);
});

t.test('what git keeps is not included, by any name', async (t) => {
  const cwd = folder(t, { 'job.sh': '', '.git/config': 'url = https://x:token@host/', 'lib/.GIT/config': '' });
  symlinkSync('.git', join(cwd, 'meta'));
  symlinkSync('.git/config', join(cwd, 'config'));
  for (const include of ['.git', '.git/config', 'lib/.GIT/config', 'meta', 'meta/config', 'config'])
    await t.rejects(paths(cwd, [include]), { code: 'include_outside', message: /where git keeps/ }, include);
  t.same(await paths(cwd, ['config'], '.git/job.sh'), ['config'], 'unless the script is there itself');
});

t.test('a file that a setting of svc names is not included, by any name', async (t) => {
  const cwd = folder(t, { 'job.sh': '', 'keys/master': 'secret', 'lib/a.sh': '' });
  symlinkSync('keys/master', join(cwd, 'key'));
  const refused = { code: 'include_outside', message: /is a file of svc \(SVC_MASTER_KEY_FILE\)/ };
  const env = { SVC_MASTER_KEY_FILE: join(cwd, 'keys/master') };
  for (const include of ['keys/master', 'keys', 'key'])
    await t.rejects(take(cwd, [include], 'job.sh', env), refused, include);
  t.same((await take(cwd, ['lib'], 'job.sh', env)).files.length, 1);
});

t.test('an included folder leaves out private files in it, and says which', async (t) => {
  const cwd = folder(t, {
    'job.sh': '',
    'keys/master': 'secret',
    'lib/a.sh': 'a',
    'lib/.git/config': 'secret',
    'lib/.GIT/config': 'secret',
    'config/svc/profile.json': 'secret',
  });
  symlinkSync('../keys/master', join(cwd, 'lib/key'));
  symlinkSync('.git', join(cwd, 'lib/meta'));
  const env = { SVC_MASTER_KEY_FILE: join(cwd, 'keys/master'), XDG_CONFIG_HOME: join(cwd, 'config') };
  const { files, contents, note } = await take(cwd, ['.'], 'job.sh', env);
  t.same(
    files.map(({ path }) => path),
    ['lib/a.sh'],
  );
  t.same([...contents.values()].map(String), ['a']);
  t.equal(
    note,
    'not included: config/svc is a file of svc (stored logins); keys/master is a file of svc (SVC_MASTER_KEY_FILE); ' +
      'lib/.GIT is in a folder .git, where git keeps addresses and logins; lib/key is a file of svc (SVC_MASTER_KEY_FILE); ' +
      'lib/meta is in a folder .git, where git keeps addresses and logins',
  );
  for (let n = 0; n < 3; n++) symlinkSync('key', join(cwd, `lib/key${n}`));
  t.match((await take(cwd, ['lib'], 'job.sh', env)).note, /SVC_MASTER_KEY_FILE\); and 1 more$/);
  t.equal((await take(cwd, ['lib/a.sh'], 'job.sh', env)).note, undefined);
  await t.rejects(take(cwd, ['.', 'lib/key'], 'job.sh', env), { code: 'include_outside' }, 'but not one that is named');
});

t.test('paths that lead out, and names that cannot be', async (t) => {
  const cwd = folder(t, { 'jobs/job.sh': '', 'jobs/lib/a.sh': '', 'other/b.sh': '', 'jobs/bad\nname': '' });
  const refused = (include: string, code: string, message: RegExp) =>
    t.rejects(take(cwd, [include], 'jobs/job.sh'), { code, message }, include);
  await refused('../other', 'include_outside', /is outside the script's folder/);
  await refused('lib/../../other', 'include_outside', /is outside the script's folder/);
  await refused('/etc/hosts', 'include_outside', /is absolute/);
  await refused('', 'include_missing', /does not name a file/);
  await refused('jobs/lib', 'include_missing', /write --include lib$/);
  await refused('other', 'include_missing', /included paths are relative to the script$/);
  await refused('bad\nname', 'include_invalid', /control character/);
  execFileSync('mkfifo', [join(cwd, 'jobs/pipe')]);
  await refused('pipe', 'include_invalid', /not a regular file/);
  mkdirSync(join(cwd, 'jobs/empty'));
  await refused('empty', 'include_missing', /contains no files/);
});

t.test('too large and too many, with what is large', async (t) => {
  const cwd = folder(t, { 'job.sh': '', 'data/large.bin': 'x'.repeat(8 * 1024 * 1024), 'data/one.txt': '1' });
  t.same(await paths(cwd, ['data/large.bin']), ['data/large.bin'], 'the bound itself is taken');
  await t.rejects(take(cwd, ['data']), {
    code: 'include_too_large',
    message:
      /total 8388609 bytes; the limit is 8388608\. The largest: data\/large\.bin \(8388608 bytes\), data\/one\.txt/,
  });
  for (let n = 0; n < 1001; n++) writeFileSync(join(cwd, `data/${n}.txt`), '');
  await t.rejects(take(cwd, ['data/', '.']), {
    code: 'include_too_large',
    message: /the limit is 1000\. Most are in data \(1003\)/,
  });
});
