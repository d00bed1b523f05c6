import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { lockHome } from './home-lock.ts';

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
