import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { withSecretFiles } from './secret-files.ts';

const folder = await mkdtemp(join(tmpdir(), 'svc-files-'));
t.teardown(() => rm(folder, { recursive: true, force: true }));
const file = (name: string) => join(folder, name);

t.test('a setting that holds a secret may lie in a file', async (t) => {
  await writeFile(file('url'), 'mysql://svc:secret@db/svc\n');
  const env = { SVC_DATABASE_URL_FILE: file('url'), SVC_PORT: '1', SVC_WAKE_URL_FILE: '' };
  t.match(await withSecretFiles(env), { SVC_DATABASE_URL: 'mysql://svc:secret@db/svc', SVC_PORT: '1' });
  t.notOk((await withSecretFiles(env)).SVC_WAKE_URL);
});

t.test('a file that cannot be the value is refused, and no value is told', async (t) => {
  await writeFile(file('empty'), '\n');
  const wrong = [
    [{ SVC_MASTER_KEY_FILE: file('none') }, /SVC_MASTER_KEY_FILE names .*none, which cannot be read \(ENOENT\)/],
    [{ SVC_MASTER_KEY_FILE: file('empty') }, /is empty/],
    [
      { SVC_MASTER_KEY_FILE: file('url'), SVC_MASTER_KEY: 'top' },
      /^SVC_MASTER_KEY and SVC_MASTER_KEY_FILE are both set$/,
    ],
  ] as const;
  for (const [env, message] of wrong) await t.rejects(withSecretFiles(env), { code: 'setting_invalid', message });
});
