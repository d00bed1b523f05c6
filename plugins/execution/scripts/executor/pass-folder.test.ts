import { execFile } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import type { ScriptWork } from '../contract.ts';
import { messageLog } from '../../../../test/kit/index.ts';
import { createPassFolder, type PassFolderOptions } from './pass-folder.ts';

const run = promisify(execFile);
const spec: ScriptWork = { source: 'echo hello', filename: 'a.sh', interpreter: undefined };
const work: PassFolderOptions = { name: 'p1', spec, envelope: null, log: messageLog().log };

t.test('the files of a pass are its own, and go with it', async (t) => {
  const folder = t.testdir();
  const pass = await createPassFolder([folder], { ...work, envelope: { n: 1 }, links: { svc_sdk: '/nowhere' } });
  t.equal(readFileSync(pass.source, 'utf8'), 'echo hello');
  t.same(JSON.parse(readFileSync(pass.input_file, 'utf8')), { n: 1 });
  for (const [path, mode] of [
    [pass.folder, 0o700],
    [pass.source, 0o600],
    [pass.input_file, 0o600],
  ] as const)
    t.equal(lstatSync(path).mode & 0o777, mode, path);
  await pass.remove();
  t.same(readdirSync(folder), []);
  await pass.remove();
});

t.test('the variables lie next to the envelope, where the SDKs look for them', async (t) => {
  const folder = t.testdir();
  const plain = await createPassFolder([folder], work);
  t.same(readdirSync(plain.folder).sort(), ['input.json', 'source'], 'a run without variables has no file');
  const { source, input_file, remove } = await createPassFolder([folder], {
    ...work,
    name: 'p2',
    vars: { REGION: 'eu' },
  });
  const file = join(input_file, '../vars.json');
  t.same(JSON.parse(readFileSync(file, 'utf8')), { REGION: 'eu' });
  t.equal(lstatSync(file).mode & 0o777, 0o600);
  t.not(join(source, '..'), join(file, '..'), 'and not where an interpreter looks for modules');
  await remove();
  t.same(readdirSync(folder), ['p1']);
});

t.test('what the programs have left goes too, whatever is gone already', async (t) => {
  const folder = t.testdir();
  const pass = await createPassFolder([folder], work);
  writeFileSync(join(pass.folder, 'source', 'left.pyc'), 'x');
  await pass.remove();
  t.notOk(existsSync(pass.folder));
});

/** In namespaces of its own, with a memory of 16 KiB at `<folder>/memory`. */
const IN_LITTLE_MEMORY = `
mount -t tmpfs -o size=16k tmpfs "$1/memory"
exec "$2" --input-type=module -e "
  import { createPassFolder } from '$3';
  const log = { warn() {} };
  const spec = { source: '#'.repeat(40000) };
  const pass = await createPassFolder(['$1/memory', '$1/disk'], { name: 'p1', spec, envelope: null, log });
  const { readdirSync } = await import('node:fs');
  console.log(JSON.stringify({ folder: pass.folder, memory: readdirSync('$1/memory') }));
"`;

t.test('a full memory is no fault of the script: its files lie on the disk', async (t) => {
  const folder = t.testdir({ memory: {}, disk: {} });
  const module = join(import.meta.dirname, 'pass-folder.ts');
  const args = ['-rm', 'sh', '-ec', IN_LITTLE_MEMORY, 'sh', folder, process.execPath, module];
  const { stdout } = await run('unshare', args);
  t.same(JSON.parse(stdout), { folder: join(folder, 'disk', 'p1'), memory: [] }, 'and nothing half is left');
});

t.test('a memory that is gone is no fault of the script either', async (t) => {
  const folder = t.testdir({ disk: {} });
  const places = [join(folder, 'memory'), join(folder, 'disk')];
  const { log, lines } = messageLog();
  const pass = await createPassFolder(places, { ...work, log });
  t.same(lines, ["storing a pass's files on disk, because there is no space for them in memory"]);
  t.equal(pass.folder, join(folder, 'disk', 'p1'));
  t.notOk(existsSync(join(folder, 'memory')), 'and is not made again without what belongs into it');
  await t.rejects(createPassFolder([join(folder, 'memory')], work), { code: 'ENOENT' });
});

t.test('what is large lies on the disk', async (t) => {
  const folder = t.testdir({ disk: {}, memory: {} });
  const places = [join(folder, 'memory'), join(folder, 'disk')];
  const small = await createPassFolder(places, { ...work, envelope: 'x'.repeat(1_000_000) });
  const large = await createPassFolder(places, { ...work, name: 'p2', envelope: 'x'.repeat(1_100_000) });
  t.same([small.folder, large.folder], [join(folder, 'memory', 'p1'), join(folder, 'disk', 'p2')]);
  const vars = { TABLE: 'x'.repeat(200_000) };
  const both = await createPassFolder(places, { ...work, name: 'p3', envelope: 'x'.repeat(1_000_000), vars });
  t.equal(both.folder, join(folder, 'disk', 'p3'), 'variables count too');
});
