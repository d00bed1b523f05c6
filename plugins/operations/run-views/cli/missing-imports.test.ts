import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { findMissingImports } from './missing-imports.ts';
import { needs } from '../../../../test/kit/needs.ts';

const modules = (warnings: { message: string }[]) => warnings.map(({ message }) => /`(.*?)`/.exec(message)?.[1]);

t.test('a check of a Python script runs nothing of its folder', needs('python3'), async (t) => {
  const mine = 'open("was-run", "w").close()\n';
  // What the check itself imports, and what Python would for a warning about the script.
  const names = ['ast', 'json', 'importlib', 'linecache', 'tokenize', 'warnings', 'nothing'];
  const folder = t.testdir({
    ...Object.fromEntries(names.map((name) => [`${name}.py`, mine])),
    'a.py': 'import nowhere_at_all\nimport nothing\nimport json\npattern = "\\d"\n',
  });
  const before = process.cwd();
  process.chdir(folder);
  t.teardown(() => process.chdir(before));
  for (const file of ['a.py', join(folder, 'a.py')])
    t.same(modules(await findMissingImports(file, undefined)), ['nowhere_at_all', 'nothing'], file);
  const [, beside] = await findMissingImports('a.py', undefined);
  t.match(beside, {
    line: 2,
    message: '`nothing` is next to the script; to send it to agents, use --include nothing.py',
  });
  const included = [{ path: 'nothing.py', digest: '', size: 0 }];
  t.same(
    modules(await findMissingImports('a.py', undefined, included)),
    ['nowhere_at_all'],
    'it comes with the script',
  );
  t.notOk(existsSync('was-run'));
});

t.test('odd addresses are not there', async (t) => {
  const folder = t.testdir({
    'a.mjs': ['file:', 'file:///%', 'file:///%2f', 'file://other/x.mjs', 'node:nope', '/nowhere/x', 'node:fs']
      .map((module) => `import '${module}';\n`)
      .join(''),
  });
  t.same(modules(await findMissingImports(join(folder, 'a.mjs'), undefined)), [
    'file:',
    'file:///%',
    'file:///%2f',
    'file://other/x.mjs',
    'node:nope',
    '/nowhere/x',
  ]);
});

t.test('a file with the name of an option of Node is read, and asks for nothing', async (t) => {
  const folder = t.testdir({
    '--import=.ts': "import 'node:nope';\nconst n: number = 1;\n",
    'a.ts': "import 'node:nope';\n",
  });
  const before = process.cwd();
  process.chdir(folder);
  t.teardown(() => process.chdir(before));
  for (const file of ['--import=.ts', 'a.ts'])
    t.same(modules(await findMissingImports(file, undefined)), ['node:nope'], file);
});
