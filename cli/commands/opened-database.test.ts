import { chownSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { describeDatabase } from './opened-database.ts';

t.test('it says which database, and whose', async (t) => {
  const home = t.testdir({ 'svc.db': '' });
  const path = join(home, 'svc.db');
  t.match(await describeDatabase(home, undefined), new RegExp(`^database ${path}: yours, since .*20..`));
  t.equal(await describeDatabase(join(home, 'new'), ''), `database ${home}/new/svc.db: new`);
  t.equal(await describeDatabase(home, 'sqlite:/x/y.db'), 'database /x/y.db (SVC_DATABASE_URL): new');
  t.match(await describeDatabase(home, 'sqlite::memory:'), /^database in memory/);
  const far = await describeDatabase(home, 'mysql://ana:secret@db:3306/svc?ssl=x');
  t.equal(far, 'database mysql://ana@db:3306/svc (SVC_DATABASE_URL)');
  t.equal(await describeDatabase(home, 'mysql://no address secret'), 'database of the address (SVC_DATABASE_URL)');
  if (process.getuid?.() !== 0) return;
  chownSync(path, 4321, 4321);
  t.match(await describeDatabase(home, undefined), /: owned by user 4321, since/);
});
