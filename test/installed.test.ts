import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import t from 'tap';

const home = resolve(import.meta.dirname, '..');

/** A clone whose only package is a Node of its own, so that installing it asks no registry. */
function clone(folder: string): void {
  mkdirSync(join(folder, 'node/bin'), { recursive: true });
  symlinkSync(process.execPath, join(folder, 'node/bin/node'));
  writeFileSync(join(folder, 'node/package.json'), '{"name":"node","version":"1.0.0"}');
  const { scripts } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as {
    scripts: { postinstall: string };
  };
  const postinstall = scripts.postinstall.split(' && ').at(-1)!;
  const own = { name: 'clone', version: '1.0.0', dependencies: { node: 'file:node' } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...own, scripts: { postinstall } }));
  const packages = {
    '': own,
    node: { name: 'node', version: '1.0.0' },
    'node_modules/node': { resolved: 'node', link: true },
  };
  const lock = { name: 'clone', version: '1.0.0', lockfileVersion: 3, requires: true, packages };
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
  mkdirSync(join(folder, 'test'));
  for (const file of ['install.mjs', 'installed.mjs']) cpSync(join(home, 'test', file), join(folder, 'test', file));
  writeFileSync(join(folder, 'program.mjs'), "console.log('it runs')");
}

t.test('after npm ci nothing is installed again, until the lock names something else', async (t) => {
  const folder = t.testdir();
  clone(folder);
  const run = (command: string, args: string[]) => spawnSync(command, args, { cwd: folder, encoding: 'utf8' });
  const program = () => run(process.execPath, ['test/install.mjs', 'program.mjs']);
  t.match(run('npm', ['ci', '--offline', '--no-audit', '--no-fund']), { status: 0 });
  t.match(program(), { status: 0, stdout: 'it runs\n', stderr: '' });
  const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8');
  writeFileSync(join(folder, 'package-lock.json'), `${lock}\n`);
  t.match(program(), { status: 0, stdout: 'it runs\n', stderr: /^installing what package-lock\.json names/ });
  t.match(program(), { status: 0, stdout: 'it runs\n', stderr: '' });
});
