import { spawnSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import t from 'tap';
import { cacheSaveVerb } from './cache.ts';

interface Staged {
  size: number;
  read(from: number): AsyncIterable<Buffer>;
}

t.test('two runs that save one key in one folder do not share the archive', async (t) => {
  const cwd = t.testdir({ rows: { 'a.csv': '1' } });
  const exec = async ([command, ...args]: string[]) => {
    const { status, stdout } = spawnSync(command!, args, { cwd });
    return { exit_code: status, stdout, size: stdout.length };
  };
  const save = (activity_id: string, stage: (content: Staged) => Promise<void>) => {
    const files = {
      findCache: async () => undefined,
      stage: async (_path: string, content: Staged) => {
        await stage(content);
        return { upload_id: 'art_1' };
      },
      saveCache: async () => true,
    };
    const pass = { activity_id, mask: (text: string) => text };
    return cacheSaveVerb.run({ argv: ['k', 'rows'], cwd, exec, pass, files } as never);
  };
  let bytes = 0;
  const outcome = await save('act_a', async (content) => {
    // The other one packs, stores and removes its archive while this one still reads.
    t.match(await save('act_b', async () => undefined), { exit: 0, message: /^saved k/ });
    for await (const chunk of content.read(0)) bytes += chunk.length;
    t.equal(bytes, content.size);
  });
  t.match(outcome, { exit: 0, message: /^saved k/ });
  t.ok(bytes > 0);
  t.same(await readdir(cwd), ['rows'], 'both archives are removed');
});

t.test('a key that cannot be removed by its path is rejected', async (t) => {
  const files = { findCache: async () => undefined };
  const pass = { mask: (text: string) => text };
  for (const key of ['a\\b', 'a/../b', '.', 'a\nb', ''])
    await t.rejects(
      async () => cacheSaveVerb.run({ argv: [key, 'rows'], cwd: t.testdirName, pass, files } as never),
      { code: 'verb_usage', message: /cache key/ },
      JSON.stringify(key),
    );
});
