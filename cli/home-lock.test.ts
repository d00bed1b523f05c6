import { execFile } from 'node:child_process';
import { stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { lockHome, assertDatabaseFree } from './home-lock.ts';

const execute = promisify(execFile);
const holder = (home: string, then: string) =>
  execute(process.execPath, [
    '--input-type=module',
    '-e',
    `import { lockHome } from ${JSON.stringify(new URL('./home-lock.ts', import.meta.url).href)};
     await lockHome(${JSON.stringify(home)}).then(() => ${then}, (error) => { console.log(error.code); });`,
  ]);

t.test('a folder has one holder at a time, also between processes', async (t) => {
  const home = join(t.testdir(), 'deep', 'home');
  const unlock = await lockHome(home);
  t.equal((await stat(home)).mode & 0o777, 0o700);
  await t.rejects(lockHome(home), { code: 'home_in_use', exit: 1, next: /--home/ });
  t.equal((await holder(home, 'console.log("taken")')).stdout, 'home_in_use\n');
  unlock();
  t.equal((await holder(home, 'console.log("taken")')).stdout, 'taken\n');
});

t.test('a holder that was killed holds nothing', async (t) => {
  const home = t.testdir();
  const ended = await holder(home, 'process.kill(process.pid, "SIGKILL")').catch((error: unknown) => error);
  t.match(ended, { signal: 'SIGKILL' });
  const unlock = await lockHome(home);
  unlock();
});

t.test('a folder that cannot be made is named', async (t) => {
  await t.rejects(lockHome('/dev/null/here'), { code: 'home_unusable', message: /\/dev\/null\/here/ });
});

t.test('the database of a holder is refused as long as it holds', async (t) => {
  const home = t.testdir();
  const url = `sqlite:${join(home, 'svc.db')}`;
  await assertDatabaseFree(url);
  const unlock = await lockHome(home);
  await t.rejects(assertDatabaseFree(url), {
    code: 'home_in_use',
    exit: 1,
    message: /a running `svc dev` is using the database/,
  });
  await assertDatabaseFree('sqlite::memory:');
  await assertDatabaseFree('mysql://u:p@127.0.0.1:1/db');
  unlock();
  await assertDatabaseFree(url);
});

t.test('a database that is a link into the folder of a holder is refused too', async (t) => {
  const home = join(t.testdir({ home: { 'svc.db': '' }, data: {} }), 'home');
  const url = `sqlite:${join(home, '../data/svc.db')}`;
  await symlink(join(home, 'svc.db'), join(home, '../data/svc.db'));
  const unlock = await lockHome(home);
  await t.rejects(assertDatabaseFree(url), { code: 'home_in_use' });
  unlock();
  await assertDatabaseFree(url);
});

t.test('a file named lock that is none of ours holds no database', async (t) => {
  const folder = t.testdir({
    text: { lock: 'the lock of another program' },
    folder: { lock: {} },
    empty: { lock: '' },
  });
  for (const name of ['text', 'folder', 'empty']) await assertDatabaseFree(`sqlite:${join(folder, name, 'svc.db')}`);
  t.equal((await stat(join(folder, 'text/lock'))).size, 27, 'and is left as it is');
});
