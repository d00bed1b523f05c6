import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { receiveFile } from '../local/receive-file.ts';
import { artifactGetVerb } from './get.ts';

const digestOf = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;

/** Calls the verb in a new folder, for a run with these artifacts. */
function call(t: Test, contents: Readonly<Record<string, string>>, argv: readonly string[]) {
  const cwd = t.testdir({});
  const exec = async ([command, ...args]: string[]) => {
    const { status, stdout } = spawnSync(command!, args, { cwd });
    return { exit_code: status, stdout, size: stdout.length };
  };
  const stored = Object.entries(contents).map(([path, text]) => ({ path, size: text.length, digest: digestOf(text) }));
  const files = {
    list: async (prefix: string) => ({ files: stored.filter(({ path }) => path.startsWith(prefix)) }),
    async fetch(file: (typeof stored)[number], target: string) {
      async function* content() {
        yield Buffer.from(contents[file.path]!);
      }
      await receiveFile(target, { ...file, read: async () => content() });
    },
  };
  const pass = { run_id: 'run_1', mask: (text: string) => text };
  const createReadableFolder = () => mkdtemp(join(tmpdir(), 'svc-get-'));
  return { cwd, outcome: artifactGetVerb.run({ argv, cwd, exec, pass, files, createReadableFolder } as never) };
}

t.test('names that fill what a file system allows are fetched, and equal beginnings do not mix', async (t) => {
  const wide = '日'.repeat(85);
  const long = 'x'.repeat(254);
  const contents = { [wide]: 'w', [`d/${long}1`]: 'same', [`d/${long}2`]: 'same', [`d/${long}3`]: 'same' };
  const { cwd, outcome } = call(t, contents, []);
  t.match(await outcome, { exit: 0 });
  t.equal(await readFile(join(cwd, wide), 'utf8'), 'w');
  t.same((await readdir(join(cwd, 'd'))).sort(), [`${long}1`, `${long}2`, `${long}3`]);
});

t.test('an artifact that is also a folder of others is a failure with its path', async (t) => {
  const contents = { dist: 'file', 'dist/deep/x': 'x' };
  const { cwd, outcome } = call(t, contents, ['dist']);
  t.match(await outcome, { exit: 1, message: /the artifact dist is a file, but other artifacts are in a folder/ });
  t.same(await readdir(cwd), [], 'nothing is written');
  t.match(await call(t, contents, ['dist/deep']).outcome, { exit: 0, stdout: Buffer.from('dist/deep/x\n') });
});

t.test('the path . is the folder of all artifacts', async (t) => {
  const contents = { '.env': 'e', a: 'a', 'b/c': 'c' };
  for (const path of ['.', './', '././.'])
    t.match(await call(t, contents, [path]).outcome, { exit: 0, stdout: Buffer.from('.env\na\nb/c\n') }, path);
  t.match(await call(t, contents, ['./.env']).outcome, { exit: 0, stdout: Buffer.from('.env\n') });
  t.match(await call(t, contents, ['..']).outcome, { exit: 1, message: 'the run has no artifact ..' });
});
