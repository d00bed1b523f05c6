import { DatabaseSync } from 'node:sqlite';
import t from 'tap';
import { reordered } from './migration.ts';

t.test('a table gets another order of columns, with its rows, its defaults and its indexes', (t) => {
  const db = new DatabaseSync(':memory:');
  t.teardown(() => db.close());
  db.exec(`CREATE TABLE things (a TEXT NOT NULL, large BLOB, b INTEGER NOT NULL DEFAULT 7, PRIMARY KEY (a))`);
  db.exec('CREATE UNIQUE INDEX things_b ON things (b) WHERE b > 0');
  const insert = db.prepare('INSERT INTO things (a, large, b) VALUES (?, ?, ?)');
  insert.run('x', Buffer.from('one'), 1);
  insert.run('y', null, 2);
  const statements = reordered('things', {
    columns: 'a TEXT NOT NULL, b INTEGER NOT NULL DEFAULT 7, large BLOB',
    key: 'a',
    indexes: ['CREATE UNIQUE INDEX things_b ON things (b) WHERE b > 0'],
  });
  for (const [n, statement] of statements.entries()) {
    db.exec(statement);
    if (n < statements.length - 1) t.throws(() => insert.run('z', null, 3), /no such table/, 'nobody writes meanwhile');
  }
  const columns = db.prepare('PRAGMA table_info(things)').all();
  t.same(
    columns.map(({ name }) => name),
    ['a', 'b', 'large'],
  );
  t.match(db.prepare('SELECT * FROM things ORDER BY a').all(), [
    { a: 'x', b: 1, large: new Uint8Array(Buffer.from('one')) },
    { a: 'y', b: 2, large: null },
  ]);
  db.exec("INSERT INTO things (a) VALUES ('d')");
  t.match(db.prepare("SELECT b FROM things WHERE a = 'd'").get(), { b: 7 });
  t.throws(() => insert.run('e', null, 1), /UNIQUE constraint failed: things.b/);
  t.throws(() => insert.run('x', null, 9), /UNIQUE constraint failed: things.a/);
  const names = db.prepare("SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY name").all();
  t.same(
    names.map(({ name }) => name),
    ['things', 'things_b'],
  );
  t.end();
});
