import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import t, { type Test } from 'tap';

const clone = resolve(import.meta.dirname, '../..');

const inFolder = (t: Test) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-plugin-')));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const svc = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(join(clone, 'cli/svc'), args, { cwd: folder, encoding: 'utf8' });
    return { status, stdout, stderr };
  };
  return { folder, svc };
};

t.test('a plugin begins with a folder in which only its own name stands', async (t) => {
  const { folder, svc } = inFolder(t);
  const made = svc('plugin', 'init', 'fruit-tally', '--json');
  t.equal(made.status, 0, made.stderr);
  const { files: names } = JSON.parse(made.stdout) as { files: string[] };
  const files = names.map((name) => join(folder, 'fruit-tally', name));
  t.ok(files.length > 10, files.join(' '));
  t.same(
    files.filter((path) => /starter/i.test(path + readFileSync(path, 'utf8'))),
    [],
  );
  const all = files.map((path) => readFileSync(path, 'utf8')).join('');
  for (const text of ['CREATE TABLE fruit_tally_counts', "operation: 'fruitTallyShow'", 'FRUIT_TALLY_VERSION'])
    t.ok(all.includes(text), text);
  t.match(
    svc('plugin', 'init', 'fruit-tally'),
    { status: 2, stderr: /fruit-tally: it exists/ },
    'nothing is overwritten',
  );
});

t.test('a name that another has, or that cannot be an id, is refused before anything is written', async (t) => {
  const { folder, svc } = inFolder(t);
  for (const name of ['runs', 'plugin', 'console', 'kernel'])
    t.match(svc('plugin', 'init', name), { status: 2, stderr: /svc already has a plugin or a command/ }, name);
  for (const name of ['Tally', '1st', '../tally', 'a--b', 'a'.repeat(41)])
    t.match(svc('plugin', 'init', name), { status: 2, stderr: /is not a valid name for a plugin/ }, name);
  t.same(readdirSync(folder), []);
});

t.test('the link to svc is made again, and an svc that npm installed is left alone', async (t) => {
  const { folder, svc } = inFolder(t);
  t.match(svc('plugin', 'link'), { status: 2, stderr: /has no plugin\.json/ });
  svc('plugin', 'init', 'tally');
  const link = join(folder, 'tally/node_modules/svc');
  t.match(svc('plugin', 'link', 'tally'), { status: 0, stdout: `${link} -> ${clone}\n` });
  t.equal(realpathSync(link), clone);
  mkdirSync(join(folder, 'other/node_modules/svc'), { recursive: true });
  spawnSync('cp', [join(folder, 'tally/plugin.json'), join(folder, 'other')]);
  t.match(svc('plugin', 'link', 'other'), { status: 1, stderr: /is not a link/ });
});
