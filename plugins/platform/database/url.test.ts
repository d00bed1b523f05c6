import { resolve } from 'node:path';
import t from 'tap';
import { isServiceError } from '../../../kernel/contracts/index.ts';
import { parseDatabaseUrl } from './url.ts';

t.test('addresses that are taken', async (t) => {
  t.strictSame(parseDatabaseUrl('sqlite::memory:'), { family: 'sqlite', path: ':memory:' });
  t.strictSame(parseDatabaseUrl('sqlite:.svc/svc.db'), { family: 'sqlite', path: resolve('.svc/svc.db') });
  t.strictSame(parseDatabaseUrl('sqlite:///var/lib/a b?.db'), { family: 'sqlite', path: '/var/lib/a b?.db' });
  const plain = {
    family: 'mysql',
    host: 'db.example.org',
    port: 3306,
    socket: undefined,
    user: 'me',
    password: 'p@ss/word',
    database: 'svc_1',
    tls: 'off',
  };
  t.strictSame(parseDatabaseUrl('mysql://me:p%40ss%2Fword@db.example.org/svc_1'), plain);
  t.strictSame(parseDatabaseUrl('mariadb://me:p%40ss%2Fword@db.example.org:3306/svc_1'), plain);
  t.match(parseDatabaseUrl('mysql://me@[::1]:3307/svc?tls=verify'), { host: '::1', port: 3307, tls: 'verify' });
  t.match(parseDatabaseUrl('mysql://me@localhost/svc?socket=/run/db.sock'), { socket: '/run/db.sock' });
});

t.test('addresses that are refused, without the password in any text', async (t) => {
  const bad: [string, RegExp][] = [
    ['', /does not name a kind/],
    ['.svc/svc.db', /does not name a kind/],
    ['postgres://u:hunter2@h/d', /"postgres:" is not a known kind of database/],
    ['sqlite:', /needs a file path/],
    ['sqlite:data/', /ends with a slash/],
    ['sqlite:a\0b', /NUL/],
    ['mysql://u:hunter2@h', /put one database name/],
    ['mysql://u:hunter2@h/', /put one database name/],
    ['mysql://u:hunter2@h/a/b', /put one database name/],
    ['mysql://u:hunter2@h/a;drop', /put one database name/],
    ['mysql://u:hunter2@h:99999/d', /not a URL/],
    ['mysql://u:hunter2%zz@h/d', /the password is not encoded correctly/],
    ['mysql://u:hunter2@h/d?ssl=1', /"ssl" is not a known parameter/],
    ['mysql://u:hunter2@h/d?tls=maybe', /must be one of off, verify, skip-verify/],
    ['mysql:///d', /does not name a host/],
  ];
  for (const [text, why] of bad) {
    try {
      parseDatabaseUrl(text);
      t.fail(`${text} was taken`);
    } catch (error) {
      t.ok(isServiceError(error, 'database_url_invalid'), JSON.stringify(text));
      t.match((error as Error).message, why);
      t.notMatch(`${(error as Error).stack} ${JSON.stringify(error)}`, /hunter2/);
    }
  }
});
