import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import type {
  Database as DatabaseType,
  Ids as IdsType,
  SealContext,
  Transaction,
} from '../../../kernel/contracts/index.ts';
import { AdminCommands, Database, HealthChecks, Ids, Log, Sealer, Settings } from '../../../kernel/contracts/index.ts';
import { Bootstrap } from '../access/contract.ts';
import { keyVersionOf } from './domain/envelope.ts';
import { type MasterKey, masterKey } from './domain/master-key.ts';
import { Keyring } from './service/keyring.ts';
import { abandonRekey, rekey } from './service/rekey.ts';
import { ACTIVATION_MS, rotateOrgKey } from './service/rotate.ts';
import { readKeyChecks } from './store/key-checks.ts';
import { readOrgKeys } from './store/org-keys.ts';
import { alteredDatabase, boot, openTestDatabase, STORES, type TestServer } from '../../../test/kit/index.ts';
import vectors from './test-vectors.json' with { type: 'json' };

const keyText = (fill: number) => Buffer.alloc(32, fill).toString('base64');
const OLD = masterKey(Buffer.alloc(32, 1));
const NEW = masterKey(Buffer.alloc(32, 2));

const place = (org_id: string, more: Partial<SealContext> = {}): SealContext => ({
  org_id,
  project_id: 'prj_1',
  table: 'secrets_values',
  kind: 'secret',
  name: 'API_KEY',
  field: 'value',
  ...more,
});

interface Rules {
  database_url: string;
  env?: Record<string, string>;
  /** Absent: nothing may be kept on disk. */
  home?: string;
}

const open = ({ database_url, env, home }: Rules): Promise<TestServer> =>
  boot({
    database: { url: database_url, master_key: '', drop: async () => undefined },
    access: 'empty',
    plugins: ['vault'],
    quiet: true,
    env: { SVC_MASTER_KEY: undefined, ...env },
    replace: [[Settings, (_use, own: () => Settings) => ({ ...own(), home })]],
  });
const withKey = (database_url: string, fill: number, env: Record<string, string> = {}) =>
  open({ database_url, env: { SVC_MASTER_KEY: keyText(fill), ...env } });

/** A keyring of its own on a server's database, as another process would have. */
function keyringOf(server: TestServer, fill: number, deps: { database?: DatabaseType; ids?: IdsType } = {}): Keyring {
  const settings = { ...server.use(Settings), env: { SVC_MASTER_KEY: keyText(fill) } };
  return new Keyring({ settings, database: server.use(Database), ids: server.use(Ids), log: server.use(Log), ...deps });
}

/** The n-th statement, counted from 0, fails and takes its transaction with it, as a kill at that point would. */
function failingAt(database: DatabaseType, n: number): { database: DatabaseType; reached: () => boolean } {
  let count = 0;
  const guard = <A extends unknown[], R>(run: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      count += 1;
      if (count > n) throw new Error('killed here');
      return run(...args);
    };
  };
  const guarded = (tx: Transaction): Transaction => ({
    sql: tx.sql,
    read: guard(tx.read.bind(tx)) as Transaction['read'],
    write: guard(tx.write.bind(tx)),
    lock: guard(tx.lock.bind(tx)) as Transaction['lock'],
    skipConflictGuard: tx.skipConflictGuard.bind(tx),
    cached: tx.cached.bind(tx),
    setCached: tx.setCached.bind(tx),
    afterCommit: tx.afterCommit.bind(tx),
  });
  const broken = alteredDatabase(database, {
    read: guard(database.read.bind(database)) as DatabaseType['read'],
    write: guard(database.write.bind(database)),
    transaction: (work) => database.transaction((tx) => work(guarded(tx))),
    usesCommitCertification: () => false,
  });
  return { database: broken, reached: () => count > n };
}

for (const store of STORES)
  t.test(`vault on ${store}`, async (t) => {
    const fresh = async (t: Test) => {
      const { url, drop } = await openTestDatabase(store);
      t.teardown(drop);
      return url;
    };

    t.test('what is sealed opens in its place, after a restart, and nowhere else', async (t) => {
      const url = await fresh(t);
      const server = await withKey(url, 1);
      const sealer = server.use(Sealer);
      t.throws(() => sealer.seal(place('org_a'), Buffer.from('x')), /prepare/);
      await Promise.all([sealer.prepare('org_a'), sealer.prepare('org_b'), sealer.prepare('org_a')]);
      const plain = Buffer.from('hunter2 ünïcode\u0000');
      const blob = sealer.seal(place('org_a'), plain);
      t.same(sealer.open(place('org_a'), blob), plain);
      t.not(blob.toString('hex'), sealer.seal(place('org_a'), plain).toString('hex'), 'two seals, two nonces');
      for (const size of [0, 1, 100_000]) {
        const big = Buffer.alloc(size, 7);
        t.same(sealer.open(place('org_a'), sealer.seal(place('org_a'), big)), big);
      }
      await server.close();
      const again = await withKey(url, 1);
      t.teardown(() => again.close());
      const reopened = again.use(Sealer);
      await Promise.all([reopened.prepare('org_a'), reopened.prepare('org_b')]);
      t.same(reopened.open(place('org_a'), blob), plain);
      for (const moved of [
        { org_id: 'org_b' },
        { project_id: 'prj_2' },
        { table: 'x' },
        { kind: 'x' },
        { name: 'x' },
        { field: 'x' },
      ])
        t.throws(
          () => reopened.open(place('org_a', moved), blob),
          { code: 'sealed_value_unreadable' },
          JSON.stringify(moved),
        );
      for (let byte = 0; byte < blob.length; byte += 1) {
        const flipped = Buffer.from(blob);
        flipped[byte]! ^= 1;
        t.throws(() => reopened.open(place('org_a'), flipped), { code: 'sealed_value_unreadable' });
      }
      t.throws(() => reopened.open(place('org_a'), Buffer.alloc(0)), { code: 'sealed_value_unreadable' });
      const dump = JSON.stringify(await again.use(Database).read('SELECT * FROM vault_org_keys'));
      t.notOk(dump.includes('hunter2'));
    });

    t.test('a wrong, malformed or missing master key refuses the start', async (t) => {
      const url = await fresh(t);
      await (await withKey(url, 1)).close();
      await t.rejects(withKey(url, 2), { code: 'master_key_wrong', next: /rekey/ });
      const oneBit = Buffer.alloc(32, 1);
      oneBit[31]! ^= 1;
      await t.rejects(open({ database_url: url, env: { SVC_MASTER_KEY: oneBit.toString('base64') } }), {
        code: 'master_key_wrong',
      });
      for (const text of ['x', keyText(1).slice(1), `${keyText(1)}A`, Buffer.alloc(31).toString('base64')]) {
        const refusal = await open({ database_url: url, env: { SVC_MASTER_KEY: text } }).catch((error) => error);
        t.equal(refusal.code, 'master_key_invalid');
        t.notOk(
          `${refusal.message}${refusal.next}`.includes(text.slice(0, 20)) && text.length > 3,
          'the key is not in the text',
        );
      }
      await t.rejects(open({ database_url: url }), { code: 'master_key_missing', next: /openssl rand -base64 32/ });
      await (await withKey(url, 1)).close();
    });

    t.test('servers that start at once on an empty database agree on one check value and one org key', async (t) => {
      const url = await fresh(t);
      const houses = await Promise.all(Array.from({ length: 4 }, () => withKey(url, 1)));
      t.teardown(() => Promise.all(houses.map((server) => server.close())));
      const sealers = houses.map((server) => server.use(Sealer));
      await Promise.all(sealers.map((sealer) => sealer.prepare('org_a')));
      const database = houses[0]!.use(Database);
      t.equal((await readOrgKeys(database, 'org_a')).length, 1);
      t.equal((await database.read('SELECT * FROM vault_key_checks')).length, 1);
      for (const from of sealers)
        for (const to of sealers)
          t.same(to.open(place('org_a'), from.seal(place('org_a'), Buffer.from('one'))), Buffer.from('one'));
      const rivalUrl = await fresh(t);
      const rivals = await Promise.allSettled([
        withKey(rivalUrl, 1),
        withKey(rivalUrl, 2),
        withKey(rivalUrl, 2),
        withKey(rivalUrl, 1),
      ]);
      const up = rivals.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      t.equal(up.length, 2, 'of two master keys one wins');
      t.ok(rivals.every((one) => one.status === 'fulfilled' || one.reason.code === 'master_key_wrong'));
      await Promise.all(up.map((server) => server.close()));
    });

    t.test('a rotated org key seals new values once every server can open them', async (t) => {
      const url = await fresh(t);
      const server = await withKey(url, 1);
      t.teardown(() => server.close());
      await server.use(Bootstrap).ensure({ user: 'u', org: 'acme', project: 'p' });
      const command = server.use.all(AdminCommands).find(({ name }) => name === 'rotate-org-key')!;
      t.equal((await command.run(server.use, { all: true })).text, 'no org has a key yet');
      await t.rejects(command.run(server.use, { org: 'absent' }), { code: 'not_found' });
      await t.rejects(command.run(server.use, {}), { code: 'invalid_request' });
      const first = (await command.run(server.use, { org: 'acme' })).json as { rotated: { version: number }[] };
      t.equal(first.rotated[0]!.version, 1);
      const [row] = await server.use(Database).read<{ org_id: string }>('SELECT org_id FROM vault_org_keys');
      const { org_id } = row!;
      const ours = keyringOf(server, 1);
      const theirs = keyringOf(server, 1);
      await Promise.all([ours.prepare(org_id), theirs.prepare(org_id)]);
      const before = ours.seal(place(org_id), Buffer.from('before'));
      await command.run(server.use, { all: true });
      await ours.refresh();
      t.equal(keyVersionOf(ours.seal(place(org_id), Buffer.from('x'))), 1, 'not before the others can know');
      const digest = ours.digest(place(org_id), 'text');
      t.equal(digest.key_version, 1);
      t.same(theirs.digest(place(org_id, { name: 'other' }), 'text'), digest, 'all rows of a column share it');
      for (const other of [{ project_id: 'prj_2' }, { table: 'other' }, { kind: 'other' }, { field: 'other' }])
        t.not(ours.digest(place(org_id, other), 'text').hex, digest.hex);
      t.not(ours.digest(place(org_id), 'texts').hex, digest.hex);
      await ours.prepare('org_other');
      t.not(ours.digest(place('org_other'), 'text').hex, digest.hex, 'each org has a key of its own');
      await server.use(Database).write('UPDATE vault_org_keys SET usable_from = usable_from - ?', [ACTIVATION_MS + 1]);
      await server.use(Database).write('UPDATE vault_key_checks SET generation = generation + 1');
      const late = keyringOf(server, 1);
      await late.prepare(org_id);
      const after = late.seal(place(org_id), Buffer.from('after'));
      t.equal(keyVersionOf(after), 2);
      const renewed = late.digest(place(org_id), 'text');
      t.equal(renewed.key_version, 2);
      t.not(renewed.hex, digest.hex);
      t.same(late.digest(place(org_id), 'text', 1), digest, 'earlier digests can still be found');
      t.throws(() => theirs.digest(place(org_id), 'text', 2), { code: 'sealed_value_unreadable' });
      t.throws(() => ours.open(place(org_id, { name: 'other' }), after), { code: 'sealed_value_unreadable' });
      await theirs.refresh();
      t.same(theirs.open(place(org_id), after), Buffer.from('after'));
      t.same(theirs.open(place(org_id), before), Buffer.from('before'), 'old values stay readable');
    });

    t.test('a key row that was altered or moved is refused', async (t) => {
      const url = await fresh(t);
      const server = await withKey(url, 1);
      t.teardown(() => server.close());
      await keyringOf(server, 1).prepare('org_a');
      const database = server.use(Database);
      const [row] = await readOrgKeys(database, 'org_a');
      await database.write(
        'INSERT INTO vault_org_keys (org_id, version, master_id, wrapped, usable_from, created_at) VALUES (?, 1, ?, ?, 0, 0)',
        ['org_thief', row!.master_id, row!.wrapped],
      );
      await t.rejects(keyringOf(server, 1).prepare('org_thief'), { code: 'sealed_value_unreadable' });
      const healthy = keyringOf(server, 1);
      await Promise.all([healthy.prepare('org_a'), healthy.prepare('org_b')]);
      row!.wrapped[20]! ^= 4;
      await database.write("UPDATE vault_org_keys SET wrapped = ? WHERE org_id = 'org_a'", [row!.wrapped]);
      await t.rejects(keyringOf(server, 1).prepare('org_a'), { code: 'sealed_value_unreadable' });
      const ids = server.use(Ids);
      const { version } = await rotateOrgKey({ database, ids }, await healthy.master(), 'org_b');
      t.equal(version, 2);
      await database.write("UPDATE vault_org_keys SET usable_from = 0 WHERE org_id = 'org_b'");
      await healthy.refresh();
      t.equal(keyVersionOf(healthy.seal(place('org_b'), Buffer.from('x'))), 2, 'the others are not held back');
    });

    t.test('rekey, killed at each of its statements, loses nothing and goes on', async (t) => {
      const url = await fresh(t);
      const server = await withKey(url, 1);
      t.teardown(() => server.close());
      const real = server.use(Database);
      const ids = server.use(Ids);
      const orgs = Array.from({ length: 5 }, (_, n) => `org_${n}`);
      const writer = keyringOf(server, 1);
      for (const org of orgs) await writer.prepare(org);
      const blobs = orgs.map((org) => writer.seal(place(org), Buffer.from(org)));
      const opens = async (fill: number) => {
        const reader = keyringOf(server, fill);
        for (const [index, org] of orgs.entries()) {
          await reader.prepare(org);
          if (reader.open(place(org), blobs[index]!).toString() !== org) throw new Error(`${org} reads wrong`);
        }
      };
      let kills = 0;
      let [from, to, fromFill, toFill]: [MasterKey, MasterKey, number, number] = [OLD, NEW, 1, 2];
      for (let n = 0; ; n += 1) {
        const { database, reached } = failingAt(real, n);
        const attempt = await rekey({ database, ids }, { current: from, next: to, retain_previous: false }).catch(
          (error) => error,
        );
        if (!reached()) {
          t.same(attempt, { rewrapped: 5, finished: true });
          break;
        }
        t.match(attempt, { message: 'killed here' });
        kills += 1;
        const { active } = await readKeyChecks(real);
        await opens(active!.master_id === OLD.id ? 1 : 2);
        if (n % 2 === 0) {
          const result = await rekey({ database: real, ids }, { current: from, next: to, retain_previous: false });
          t.ok(result.finished);
          await opens(toFill);
          await t.rejects(opens(fromFill), { code: 'master_key_wrong' }, 'the old key opens nothing any more');
          [from, to, fromFill, toFill] = [to, from, toFill, fromFill];
          t.equal((await real.read('SELECT * FROM vault_org_keys')).length, orgs.length);
        } else if ((await readKeyChecks(real)).incoming) {
          await abandonRekey({ database: real, ids });
          await opens(fromFill);
          t.equal((await real.read('SELECT * FROM vault_org_keys')).length, orgs.length);
        }
      }
      t.ok(kills >= 10, `${kills} kills`);
      await opens(toFill);
    });

    t.test('while the master key is changing, both keys serve', async (t) => {
      const url = await fresh(t);
      const server = await withKey(url, 1, { SVC_NEW_MASTER_KEY: keyText(2) });
      t.teardown(() => server.close());
      const database = server.use(Database);
      const ids = server.use(Ids);
      const command = server.use.all(AdminCommands).find(({ name }) => name === 'rekey')!;
      const old = keyringOf(server, 1);
      await old.prepare('org_a');
      const blob = old.seal(place('org_a'), Buffer.from('both'));
      t.match((await command.run(server.use, { 'keep-old': true })).json, { rewrapped: 1, finished: false });
      for (const fill of [1, 2]) {
        const reader = keyringOf(server, fill);
        await reader.prepare('org_a');
        t.same(reader.open(place('org_a'), blob), Buffer.from('both'), `key ${fill}`);
        await reader.refresh();
        reader.checkHealth();
      }
      await t.rejects(
        rekey({ database, ids }, { current: OLD, next: masterKey(Buffer.alloc(32, 3)), retain_previous: false }),
        { code: 'rekey_conflict' },
      );
      await t.rejects(
        rekey({ database, ids }, { current: masterKey(Buffer.alloc(32, 4)), next: NEW, retain_previous: false }),
        { code: 'master_key_wrong' },
      );
      const rotate = server.use.all(AdminCommands).find(({ name }) => name === 'rotate-org-key')!;
      await t.rejects(rotate.run(server.use, { all: true }), { code: 'rekey_conflict' });
      await old.prepare('org_new');
      await t.rejects(keyringOf(server, 2).prepare('org_new'), { code: 'unavailable' }, 'not reached yet: try again');
      const [mine, yours] = await Promise.all([
        rekey({ database, ids }, { current: OLD, next: NEW, retain_previous: false }),
        rekey({ database, ids }, { current: OLD, next: NEW, retain_previous: false }),
      ]);
      t.ok(mine.finished && yours.finished, 'two operators at once do no harm');
      const renewed = keyringOf(server, 2);
      await renewed.prepare('org_new');
      await renewed.prepare('org_a');
      t.same(renewed.open(place('org_a'), blob), Buffer.from('both'));
      await old.refresh();
      t.throws(() => old.checkHealth(), { code: 'master_key_wrong' });
      t.same(old.open(place('org_a'), blob), Buffer.from('both'), 'what is in memory still opens');
      await t.rejects(old.prepare('org_later'), { code: 'master_key_wrong' });
      await t.rejects(abandonRekey({ database, ids }), { code: 'rekey_conflict' });
      await t.rejects(withKey(url, 1, { SVC_NEW_MASTER_KEY: keyText(2) }), {
        code: 'master_key_wrong',
        message: /is complete/,
      });
      await (await withKey(url, 2)).close();
    });

    t.test('org keys that servers make while a rekey runs are not left behind', async (t) => {
      const url = await fresh(t);
      const server = await withKey(url, 1);
      t.teardown(() => server.close());
      const deps = { database: server.use(Database), ids: server.use(Ids) };
      const maker = keyringOf(server, 1);
      const names = Array.from({ length: 40 }, (_, n) => `org_${n}`);
      const [made] = await Promise.all([
        Promise.allSettled(names.map((name) => maker.prepare(name))),
        rekey(deps, { current: OLD, next: NEW, retain_previous: false }),
      ]);
      const reader = keyringOf(server, 2);
      for (const [index, name] of names.entries()) {
        const outcome = made[index]!;
        await reader.prepare(name);
        if (outcome.status === 'fulfilled')
          t.same(reader.open(place(name), maker.seal(place(name), Buffer.from(name))), Buffer.from(name));
        else t.equal(outcome.reason.code, 'master_key_wrong');
      }
    });
  });

t.test('the key file of SQLite', async (t) => {
  const setup = async (t: Test) => {
    const home = await mkdtemp(join(tmpdir(), 'svc-vault-'));
    const { url, drop } = await openTestDatabase();
    t.teardown(async () => {
      await rm(home, { recursive: true, force: true });
      await drop();
    });
    return { home, database_url: url, file: join(home, 'master.key') };
  };
  const sealed = async (server: TestServer) => {
    const sealer = server.use(Sealer);
    await sealer.prepare('org_a');
    return sealer.seal(place('org_a'), Buffer.from('kept'));
  };
  const opens = async (server: TestServer, blob: Buffer) => {
    await server.use(Sealer).prepare('org_a');
    t.same(server.use(Sealer).open(place('org_a'), blob), Buffer.from('kept'));
    await server.close();
  };

  t.test('is made once, private, and used again', async (t) => {
    const { file, ...at } = await setup(t);
    const houses = await Promise.all([open(at), open(at), open(at)]);
    const blob = await sealed(houses[0]!);
    for (const server of houses) await opens(server, blob);
    t.equal((await stat(file)).mode & 0o777, 0o600);
    t.match(await readFile(file, 'utf8'), /^[A-Za-z0-9+/]{43}=\n$/);
    t.same(await readdir(at.home), ['master.key'], 'no drafts are left');
    await opens(await open(at), blob);
  });

  t.test('is refused when it is exposed, malformed, another or gone', async (t) => {
    const { file, ...at } = await setup(t);
    await (await open(at)).close();
    const text = await readFile(file, 'utf8');
    await chmod(file, 0o640);
    await t.rejects(open(at), { code: 'master_key_exposed', next: /chmod 600/ });
    await chmod(file, 0o600);
    await writeFile(file, 'nonsense');
    await t.rejects(open(at), { code: 'master_key_invalid' });
    await writeFile(file, keyText(9));
    await t.rejects(open(at), { code: 'master_key_wrong' });
    await rm(file);
    await t.rejects(open(at), { code: 'master_key_missing', message: /master\.key does not exist/ });
    t.same(await readdir(at.home), [], 'no new key takes the place of the lost one');
    await promisify(execFile)('mkfifo', ['-m', '600', file]);
    await t.rejects(open(at), { code: 'master_key_invalid' }, 'a pipe does not hang the start');
    await rm(file);
    await writeFile(file, text, { mode: 0o600 });
    await (await open(at)).close();
  });

  t.test('follows a rekey, also when it is killed before the file changes', async (t) => {
    const { file, ...at } = await setup(t);
    const server = await open(at);
    const blob = await sealed(server);
    const before = await readFile(file, 'utf8');
    const command = server.use.all(AdminCommands).find(({ name }) => name === 'rekey')!;
    await command.run(server.use, { 'keep-old': true });
    t.same((await readdir(at.home)).sort(), ['master.key', 'master.key.new']);
    await command.run(server.use, { abandon: true });
    t.same(await readdir(at.home), ['master.key']);
    await command.run(server.use, { 'keep-old': true });
    const next = await readFile(join(at.home, 'master.key.new'), 'utf8');
    const result = await command.run(server.use, {});
    t.match(result.json, { finished: true });
    t.notOk(JSON.stringify(result).includes(next.trim()), 'the key is not printed');
    await server.close();
    t.equal(await readFile(file, 'utf8'), next, 'the key of the unfinished change was used');
    await writeFile(join(at.home, 'master.key.new'), next, { mode: 0o600 });
    await writeFile(file, before);
    await opens(await open(at), blob);
    t.equal(await readFile(file, 'utf8'), next, 'the start finished the change');
    t.equal((await stat(file)).mode & 0o777, 0o600);
  });

  t.test('takes a new key from a file', async (t) => {
    const { file, ...at } = await setup(t);
    const server = await open(at);
    const blob = await sealed(server);
    const given = join(at.home, 'given');
    await writeFile(given, keyText(5));
    const command = server.use.all(AdminCommands).find(({ name }) => name === 'rekey')!;
    await t.rejects(command.run(server.use, { 'key-file': join(at.home, 'absent') }), { code: 'master_key_missing' });
    await t.rejects(command.run(server.use, { 'key-file': at.home }), { code: 'master_key_missing' });
    await t.rejects(command.run(server.use, { 'keep-old': true, abandon: true }), { code: 'invalid_request' });
    await command.run(server.use, { 'key-file': given });
    t.equal((await readFile(file, 'utf8')).trim(), keyText(5));
    const again = await command.run(server.use, { 'key-file': given });
    t.same(again.json, { rewrapped: 0, finished: true }, 'a change that is complete may be asked for again');
    await server.close();
    await opens(await open(at), blob);
  });
});

t.test('an in-memory database has a key of its own and nothing on disk', async (t) => {
  const server = await open({ database_url: 'sqlite::memory:' });
  t.teardown(() => server.close());
  const sealer = server.use(Sealer);
  await sealer.prepare('org_a');
  t.same(sealer.open(place('org_a'), sealer.seal(place('org_a'), Buffer.from('x'))), Buffer.from('x'));
  const command = server.use.all(AdminCommands).find(({ name }) => name === 'rekey')!;
  await t.rejects(command.run(server.use, {}), { code: 'invalid_request' });
  await server.use
    .all(HealthChecks)
    .find(({ name }) => name === 'vault')!
    .check();
});

t.test('with the keys and nonces of the vectors, the Sealer writes the committed bytes', async (t) => {
  const [org] = vectors.org_keys;
  const [value] = vectors.values;
  const server = await open({
    database_url: 'sqlite::memory:',
    env: { SVC_MASTER_KEY: vectors.master_keys[org!.master]!.text },
  });
  t.teardown(() => server.close());
  const random = [org!.nonce, org!.key, value!.nonce].map((text) => Buffer.from(text, 'hex'));
  const ids: IdsType = { next: (prefix) => `${prefix}_X`, bytes: () => random.shift()! };
  const keyring = new Keyring({
    settings: server.use(Settings),
    database: server.use(Database),
    ids,
    log: server.use(Log),
  });
  await keyring.prepare(org!.org_id);
  const blob = keyring.seal(value!.place, Buffer.from(value!.plain, 'hex'));
  t.equal(blob.toString('hex'), value!.blob);
  const [row] = await readOrgKeys(server.use(Database), org!.org_id);
  t.equal(row!.wrapped.toString('hex'), org!.wrapped);
});
