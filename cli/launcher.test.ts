import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Parser } from 'acorn';
import t from 'tap';

const here = import.meta.dirname;

t.test('an old Node can read the first file, and so says what it needs', async (t) => {
  const text = readFileSync(join(here, 'main.mjs'), 'utf8');
  const program = Parser.parse(text, { ecmaVersion: 2020, sourceType: 'module' });
  t.notOk(
    program.body.some(({ type }) => type.startsWith('Import')),
    'what it loads is loaded after the check',
  );
});

t.test('a clone in which nothing is installed says so in one line', async (t) => {
  // Not below this clone, where something is installed.
  const clone = mkdtempSync(join(realpathSync(tmpdir()), 'svc-clone-'));
  t.teardown(() => rmSync(clone, { recursive: true }));
  const files = [
    'cli/svc',
    'cli/main.mjs',
    'cli/start.mjs',
    'cli/run.ts',
    'cli/prebuilt',
    'kernel/contracts/own-cache.mjs',
  ];
  for (const file of files) cpSync(join(here, '..', file), join(clone, file), { recursive: true });
  const { NODE_COMPILE_CACHE: _, ...env } = process.env;
  const ended = spawnSync(process.execPath, [join(clone, 'cli/main.mjs'), 'whoami'], { encoding: 'utf8', env });
  t.match(ended, { status: 2, stdout: '', stderr: `svc: nothing is installed here yet; run npm ci in ${clone}/\n` });
});
