import { createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { createDatabase, type PrivateMysqlServer, startPrivateMysql } from '../../../../test/support/mysql-server.ts';
import { type Clock, isServiceError } from '../../../../kernel/contracts/index.ts';
import { countRows, makeTables, openAt, openFor } from '../engines.testsuite.ts';
import { systemClock } from '../../../../test/kit/services.ts';
import { isLost, isRetryable, toServiceError } from './errors.ts';
import { leaveOut } from '../../../../test/kit/needs.ts';

const INSERT = 'INSERT INTO test_counts (id, n) VALUES (?, ?)';

/**
 * A proxy to the server that can be cut at a COMMIT: before the server receives it, or before its response is returned.
 */
async function cuttable(t: Test, port: number) {
  const state: { cut: 'before' | 'behind' | undefined } = { cut: undefined };
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const server = new (client.constructor as typeof Socket)();
    server.connect(port, '127.0.0.1');
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => sockets.delete(socket));
    }
    client.on('data', (data) => {
      const { cut } = state;
      if (!cut || !data.toString('latin1').endsWith('COMMIT')) return void server.write(data);
      state.cut = undefined;
      if (cut === 'before') server.destroy();
      else {
        server.removeAllListeners('data');
        server.once('data', () => client.destroy());
        server.write(data);
        return;
      }
      client.destroy();
    });
    server.on('data', (data) => client.write(data));
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await new Promise((resolve) => proxy.once('listening', resolve));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  return { state, port: (proxy.address() as { port: number }).port };
}

async function commitUnknown(t: Test, server: PrivateMysqlServer): Promise<void> {
  const { url } = await createDatabase(server.url);
  const way = await cuttable(t, Number(new URL(url).port));
  const throughProxy = new URL(url);
  throughProxy.port = String(way.port);
  const handle = await openFor(t, throughProxy.href);
  await makeTables(handle.database);
  let called = 0;
  const insert = (id: string) =>
    handle.database.transaction(async (tx) => {
      tx.afterCommit(() => called++);
      await tx.write(INSERT, [id, 1]);
    });
  way.state.cut = 'before';
  await t.rejects(insert('lost'), { code: 'commit_unknown' });
  way.state.cut = 'behind';
  await t.rejects(insert('kept'), { code: 'commit_unknown' });
  t.equal(called, 0, 'nobody is told of a commit that is not known');
  t.strictSame(await handle.database.read('SELECT id FROM test_counts'), [{ id: 'kept' }]);
  await insert('next');
  t.equal(called, 1);

  let flushes = 0;
  const queue = handle.group_commits.create<string, string>({
    name: 'unknown',
    max_batch: 8,
    flush: async (tx, batch) => {
      flushes++;
      for (const id of batch) await tx.write(INSERT, [id, 1]);
      return batch.map((id) => ({ ok: id }));
    },
  });
  way.state.cut = 'behind';
  const results = await Promise.allSettled(['g1', 'g2', 'g3'].map((id) => queue.submit(id)));
  for (const result of results) t.match(result, { status: 'rejected', reason: { code: 'commit_unknown' } });
  t.equal(flushes, 1, 'a batch of unknown outcome is not tried again');
  t.equal(await queue.submit('g4'), 'g4');
}

async function killedServer(t: Test, server: PrivateMysqlServer): Promise<void> {
  const { url } = await createDatabase(server.url);
  const handle = await openFor(t, url);
  const { database } = handle;
  await makeTables(database);
  const outcome = new Map<string, string>();
  let acknowledged = 0;
  let next = 0;
  let down = false;
  const writer = async () => {
    while (!down) {
      const id = `k-${next++}`;
      try {
        await database.transaction((tx) => tx.write(INSERT, [id, 1]));
        outcome.set(id, 'ok');
        acknowledged++;
      } catch (error) {
        outcome.set(id, isServiceError(error) ? error.code : String(error));
        down = true;
      }
    }
  };
  const writers = Promise.all(Array.from({ length: 24 }, writer));
  while (acknowledged < 200) await delay(1);
  await server.kill();
  await writers;
  await t.rejects(database.ping(), { code: 'database_unavailable', status: 503 });
  await t.rejects(database.read('SELECT 1'), { code: 'database_unavailable' });
  await t.rejects(openAt(url), { code: 'database_unavailable' });

  await server.restart();
  await database.ping();
  const rows = await database.read<{ id: string }>('SELECT id FROM test_counts');
  const there = new Set(rows.map(({ id }) => id));
  const codes = new Set(outcome.values());
  t.ok(
    [...codes].every((code) => ['ok', 'commit_unknown', 'database_unavailable'].includes(code)),
    [...codes].join(),
  );
  t.ok(codes.size > 1, 'the kill struck');
  for (const [id, code] of outcome) {
    if (code === 'ok' && !there.has(id)) t.fail(`${id} was acknowledged and is lost`);
    if (code === 'database_unavailable' && there.has(id)) t.fail(`${id} was said not to be done and is there`);
  }
  await Promise.all(Array.from({ length: 40 }, (_, i) => database.write(INSERT, [`after-${i}`, 1])));
  t.equal(await countRows(handle), there.size + 40, 'every connection is of use again');
}

async function refused(t: Test, server: PrivateMysqlServer): Promise<void> {
  const secret = new URL(`${server.url}/svc_none`);
  secret.username = 'nobody';
  secret.password = 'hunter2';
  const closed = 'mysql://nobody:hunter2@127.0.0.1:1/svc_none';
  const unknown = 'mysql://nobody:hunter2@host.invalid/svc_none';
  for (const url of [`${server.url}/svc_none`, secret.href, closed, unknown]) {
    try {
      await openAt(url);
      t.fail(`${url} was opened`);
    } catch (error) {
      t.match(error, { code: 'database_unavailable', status: 503 }, url);
      t.notMatch(`${(error as Error).stack} ${(error as Error).message}`, /hunter2/);
    }
  }
}

async function serverTime(t: Test, server: PrivateMysqlServer): Promise<void> {
  const { url } = await createDatabase(server.url);
  let drift = 0;
  const rereads: (() => void)[] = [];
  const clock: Clock = {
    now: () => 5,
    monotonic: () => systemClock.monotonic() + drift,
    after: (delay_ms, run, options) => {
      if (delay_ms !== 10_000) return systemClock.after(delay_ms, run, options);
      rereads.push(run);
      return () => undefined;
    },
  };
  const { database } = await openFor(t, url, { clock });
  t.ok(Math.abs(database.now() - Date.now()) < 2000, "the server's time and not that of the clock");
  drift = 3_600_000;
  t.ok(database.now() - Date.now() > 3_000_000, 'between readings the monotonic clock carries it');
  rereads.shift()!();
  while (rereads.length === 0) await delay(1);
  t.ok(Math.abs(database.now() - Date.now()) < 2000, 'a reading corrects it');
}

async function hanging(t: Test, server: PrivateMysqlServer): Promise<void> {
  const { url } = await createDatabase(server.url);
  const expiries = new Set<() => void>();
  const clock: Clock = {
    ...systemClock,
    after: (delay_ms, run, options) => {
      if (delay_ms !== 30_000) return systemClock.after(delay_ms, run, options);
      expiries.add(run);
      return () => expiries.delete(run);
    },
  };
  const handle = await openFor(t, url, { clock });
  await makeTables(handle.database);
  t.equal(expiries.size, 0, 'no bound outlives its statement');
  const hangs = async (run: () => Promise<unknown>, code: string) => {
    await server.freeze();
    let hanging = true;
    const refused = t.rejects(run(), { code }).then(() => {
      hanging = false;
    });
    // The pool may be opening another connection, whose statements hang too.
    for (; hanging; await delay(1))
      for (const expire of expiries) {
        expiries.delete(expire);
        expire();
      }
    await refused;
    server.thaw();
    await handle.database.ping();
  };
  await hangs(() => handle.database.read('SELECT 1'), 'database_unavailable');
  await hangs(() => handle.database.write(INSERT, ['w', 1]), 'commit_unknown');
  const begun = handle.database.transaction((tx) => tx.write(INSERT, ['t', 1]));
  await begun;
  t.strictSame(await handle.database.read("SELECT id FROM test_counts WHERE id = 't'"), [{ id: 't' }]);
}

/** What a server answers, as the driver throws it. */
const answered = (errno: number, message = 'no') => Object.assign(new Error(message), { errno, code: 'ER_UNKNOWN' });

t.test('what the numbers of MySQL, Galera, TiDB and Vitess mean', async (t) => {
  const rolledBack = [1213, 1205, 1020, 1615, 3101, 8002, 8005, 8022, 8028, 9004, 9007];
  for (const errno of rolledBack) {
    t.ok(isRetryable(answered(errno)), `${errno} is tried again`);
    t.match(toServiceError(answered(errno)), { code: 'database_busy' });
  }
  // At COMMIT these do not prove that nothing was committed.
  const unsure = [
    ...[1047, 1180, 1317, 3168, 8027, 8501, 9001, 9002, 9003, 9005].map((errno) => answered(errno)),
    answered(1317, 'VT15001: transaction error, issue ROLLBACK and retry the transaction: vttablet is gone'),
    answered(1105, 'VT09032: previous transaction failed. Issue a ROLLBACK to resolve the failure.'),
    answered(1105, "target: svc.-.primary: no healthy tablet available for 'keyspace:svc'"),
    answered(1105, 'target: svc.0.primary: operation not allowed in state NOT_SERVING'),
    answered(1041, 'target: svc.0.primary: Transaction throttled'),
  ];
  for (const error of unsure) {
    t.notOk(isRetryable(error), `${error.message} does not prove a rollback`);
    t.match(toServiceError(error), { code: 'database_unavailable' }, `${error.errno} ${error.message}`);
  }
  for (const error of [answered(1180), answered(8501), unsure[10]!, unsure[11]!]) t.ok(isLost(error));
  t.match(toServiceError(answered(1041)), { code: 'storage_full' });
  t.match(toServiceError(answered(1030, 'Got error 28 from storage engine')), { code: 'storage_full' });
  for (const other of [answered(1064), answered(1105, 'boom'), answered(1193)]) {
    t.notOk(isRetryable(other) || isLost(other));
    t.equal(toServiceError(other), other, 'the rest is a fault of ours');
  }
  t.notOk(isLost(Object.assign(new Error('VT15001: said by nobody'))), 'only a server says so');
});

t.test('a MySQL server that fails', async (t) => {
  const server = await startPrivateMysql();
  if ('reason' in server) return leaveOut(t, 'mariadbd', server.reason);
  t.teardown(() => server.stop());
  await t.test('is told when it cannot be opened', (t) => refused(t, server));
  await t.test('a lost answer to COMMIT', (t) => commitUnknown(t, server));
  await t.test('its time', (t) => serverTime(t, server));
  await t.test('hangs', (t) => hanging(t, server));
  await t.test('killed under 24 writers and started again', (t) => killedServer(t, server));
});
