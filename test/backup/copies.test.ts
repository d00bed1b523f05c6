import { existsSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import t from 'tap';
import { STORES } from '../kit/index.ts';
import { isLong } from '../support/length.ts';
import { allRows, execute, fillAll } from './contents.ts';
import { Place } from './place.ts';

t.setTimeout(600_000);

// @store: a copy goes from one to the other.
const stores = [...STORES];
/** One fault at each point of a restore. */
const FEW = ['nothing', 'cut', 'another value', 'a column that is not there', 'a later schema'];
const place = await Place.open();
t.teardown(() => place.close());

for (const from of stores)
  t.test(
    `a backup of ${from} has every row of every table, with every kind of value`,
    { timeout: 600_000 },
    async (t) => {
      const source = await place.started(from);
      await fillAll(source);
      const file = place.file(`${from}.svc`);
      const { json } = await place.tool('backup', source, file);
      t.equal((await stat(file)).mode & 0o777, 0o600);
      t.equal(json.tables.runs_logs, 3);
      const rows = await allRows(source.url);
      t.equal(json.rows, Object.values(rows).flat().length);
      const verified = await place.tool('restore', source, file, { verify: true });
      t.match(verified.json, { whole: true, rows: json.rows, store: from, sha256: json.sha256 });
      // From one store to the other is the harder way.
      for (const to of stores.filter((one) => isLong || stores.length === 1 || one !== from))
        await t.test(`restored into ${to}`, async (t) => {
          const target = await place.empty(to, source.master_key);
          const restored = await place.tool('restore', target, file);
          t.match(restored.json, { rows: json.rows, restored_into: to });
          // Each kind of database has changes of its own.
          if (from === to) t.same(restored.json.applied, []);
          t.same(await allRows(target.url), rows);
          // A server finds nothing to migrate, and its key opens the database.
          await place.start(target);
          const again = place.file(`${from}-${to}.svc`);
          t.match((await place.tool('backup', target, again)).json, { rows: json.rows, store: to });
          await t.rejects(place.tool('restore', target, file), { code: 'restore_not_empty' });
          t.same(await allRows(target.url), rows, 'the refusal changed nothing');
        });
    },
  );

/**
 * One bit in the middle is another one. Some bits of a packed file mean nothing, and some say the same in another way, such as
 * where a repeated text stood before: who changes these has damaged nothing, so the first one that counts is taken.
 */
function damaged(packed: Buffer, text: string): Buffer {
  for (let at = packed.length >> 1; ; at += 1) {
    const flipped = Buffer.from(packed);
    flipped[at]! ^= 0x40;
    if (unpacked(flipped) !== text) return flipped;
  }
}

function unpacked(bytes: Buffer): string | undefined {
  try {
    return gunzipSync(bytes).toString('latin1');
  } catch {
    return undefined; // It is no packed file any more.
  }
}

for (const store of stores)
  t.test(`what cannot be restored leaves an empty ${store}`, { timeout: 600_000 }, async (t) => {
    const source = await place.started(store);
    await fillAll(source);
    const file = place.file(`whole-${store}.svc`);
    await place.tool('backup', source, file);
    const text = gunzipSync(await readFile(file)).toString('latin1');
    const packed = await readFile(file);
    const altered = (change: (text: string) => string) => gzipSync(Buffer.from(change(text), 'latin1'));
    const flipped = damaged(packed, text);
    const wrong: [string, Buffer, string][] = [
      ['nothing', Buffer.alloc(0), 'backup_damaged'],
      ['another file', Buffer.from('SQLite format 3\0'), 'backup_damaged'],
      ['another packed file', gzipSync('hello\n'), 'backup_damaged'],
      ['cut', packed.subarray(0, packed.length - 20), 'backup_damaged'],
      ['cut in the middle', packed.subarray(0, packed.length >> 1), 'backup_damaged'],
      ['a flipped bit', flipped, 'backup_damaged'],
      ['no last line', altered((all) => all.slice(0, all.lastIndexOf('{"end"'))), 'backup_damaged'],
      ['a line more', altered((all) => `${all}{}\n`), 'backup_damaged'],
      ['a row less', altered((all) => all.replace(/(\{"table":"runs_logs"\}\n).*\n/, '$1')), 'backup_damaged'],
      ['another value', altered((all) => all.replace('DROP', 'DRUP')), 'backup_damaged'],
      ['a table left out', altered((all) => all.replace(/\{"table":"runs_tags"\}\n[^{]*\{.*\n/, '')), 'backup_damaged'],
      ['a column of statements', altered((all) => all.replace('"run_id"', '"run_id) --"')), 'backup_damaged'],
      ['a column that is not there', altered((all) => all.replace('"run_id"', '"run_ix"')), 'backup_damaged'],
      ['a later format', altered((all) => all.replace('"svc_backup":1', '"svc_backup":2')), 'backup_newer'],
      ['a later schema', altered((all) => all.replace('"runs/0001', '"runs/9001')), 'backup_newer'],
    ];
    const target = await place.empty(store, source.master_key);
    const other = place.file(`wrong-${store}.svc`);
    // Each of them makes and drops every table of MySQL.
    const some = store === 'sqlite' ? wrong : wrong.filter(([what]) => FEW.includes(what));
    for (const [what, bytes, code] of some) {
      await writeFile(other, bytes);
      await t.rejects(place.tool('restore', target, other), { code }, what);
      if (store === 'sqlite') t.same(await readdir(target.url.slice(7, -'/svc.db'.length)), [], `${what}: no file`);
      else t.same(await execute(target.url, 'SHOW TABLES'), [], `${what}: no table`);
    }
    const stranger = { ...target, master_key: Buffer.alloc(32, 7).toString('base64') };
    await t.rejects(place.tool('restore', stranger, file), { code: 'master_key_wrong' });
    const interrupted = AbortSignal.abort();
    await t.rejects(place.tool('restore', target, file, {}, interrupted), { code: 'backup_interrupted' });
    await t.rejects(place.tool('restore', target, place.file('none.svc')), { code: 'backup_file_unusable' });
    t.equal((await place.tool('restore', target, file)).json.restored_into, store, 'and then a good one goes in');
  });

t.test('a file is written whole, for its owner, and replaces none', async (t) => {
  const source = await place.started('sqlite');
  const file = place.file('mine.svc');
  await writeFile(file, 'something else');
  await t.rejects(place.tool('backup', source, file), { code: 'backup_exists' });
  t.equal(await readFile(file, 'utf8'), 'something else');
  await t.rejects(place.tool('backup', source, place.file('no/such/folder.svc')), { code: 'backup_file_unusable' });
  await t.rejects(place.tool('backup', source, place.file('stopped.svc'), {}, AbortSignal.abort()), {
    code: 'backup_interrupted',
  });
  t.notOk(existsSync(place.file('stopped.svc')));
  await place.tool('backup', source, file, { force: true });
  t.equal((await stat(file)).mode & 0o777, 0o600);
  t.same(
    (await readdir(place.folder)).filter((name) => name.startsWith('.')),
    [],
    'no draft is left',
  );
});

t.test('there must be a database of svc, with its schema whole', async (t) => {
  const file = place.file('not.svc');
  await t.rejects(place.tool('backup', { url: 'sqlite::memory:', master_key: '' }, file), { code: 'backup_nothing' });
  for (const store of stores) {
    const empty = await place.empty(store);
    await t.rejects(place.tool('backup', empty, file), { code: 'backup_nothing' });
    const source = await place.started(store);
    await execute(source.url, "UPDATE kernel_migrations SET applied_at = NULL WHERE name LIKE 'runs/0001%'");
    await t.rejects(place.tool('backup', source, file), { code: 'backup_unmigrated' });
    await execute(source.url, "DELETE FROM kernel_migrations WHERE name = 'runs/0001-runs#02'");
    await execute(source.url, 'UPDATE kernel_migrations SET applied_at = 1');
    await t.rejects(place.tool('backup', source, file), { code: 'backup_unmigrated' });
  }
});

for (const store of stores)
  t.test(`tables of others in the same ${store} are named and left`, async (t) => {
    const source = await place.started(store);
    await execute(source.url, 'CREATE TABLE wordpress_posts (id INTEGER PRIMARY KEY)');
    const file = place.file(`foreign-${store}.svc`);
    t.same((await place.tool('backup', source, file)).json.tables_outside, ['wordpress_posts']);
    t.notMatch(gunzipSync(await readFile(file)).toString('latin1'), 'wordpress');
  });

t.test('a log that belongs to no file is not taken for one of the restored file', async (t) => {
  const source = await place.started('sqlite');
  const file = place.file('log.svc');
  await place.tool('backup', source, file);
  const target = await place.empty('sqlite', source.master_key);
  await writeFile(`${target.url.slice(7)}-wal`, 'old');
  await t.rejects(place.tool('restore', target, file), { code: 'restore_not_empty' });
  t.equal(await readFile(`${target.url.slice(7)}-wal`, 'utf8'), 'old');
});

t.test('servers stay away from a MySQL whose restore was killed', { skip: !stores.includes('mysql') }, async (t) => {
  const half = await place.empty('mysql');
  await execute(half.url, 'CREATE TABLE kernel_restores (place INTEGER PRIMARY KEY)');
  await t.rejects(place.start(half), { code: 'restore_unfinished' });
  const source = await place.started('sqlite');
  const file = place.file('half.svc');
  await place.tool('backup', source, file);
  await t.rejects(place.tool('restore', { ...half, master_key: source.master_key }, file), {
    code: 'restore_unfinished',
  });
});
