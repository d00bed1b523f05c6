import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { systemClock } from '../../kernel/boot/services/clock.ts';
import { createIds } from '../../kernel/boot/services/ids.ts';
import { createLog } from '../../kernel/boot/services/log.ts';
import { openDatabase } from '../../kernel/database/index.ts';
import { maskingTables } from '../../plugins/masking/migrations/0001-masking.ts';
import { runsMigrations } from '../../plugins/runs/migrations/index.ts';
import { checkInvariants } from '../../plugins/runs/store/invariants.ts';
import { createDatabase, startMysql } from '../support/mysql-server.ts';
import { House, refOf, serverOn, step } from './store/house.ts';

const WORKER = fileURLToPath(new URL('./store/storm-worker.ts', import.meta.url));
const PROCESSES = 3;
/** Every process is killed after it has acknowledged about this much, and another takes its place. */
const ACKS_A_LIFE = 60;
const KILLS = Number(process.env.SVC_TEST_STORM_KILLS ?? 9);

const deps = { clock: systemClock, ids: createIds(systemClock), log: createLog('warn', { test: 'storm' }) };

/** Runs workers on one database, killing each with SIGKILL in the middle of its work; answers what they acknowledged. */
async function storm(url: string, house: House): Promise<{ acks: string[]; faults: string[]; kills: number }> {
  const acks: string[] = [];
  const faults: string[] = [];
  let kills = 0;
  const life = async () => {
    const args = [WORKER, url, house.org_id, house.project_id];
    const child: ChildProcess = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stderr!.on('data', (data: Buffer) => faults.push(data.toString()));
    let left = ACKS_A_LIFE;
    const lines = createInterface({ input: child.stdout! });
    lines.on('line', (line) => {
      acks.push(line);
      if (--left === 0) child.kill('SIGKILL');
    });
    await Promise.all([once(child, 'exit'), once(lines, 'close')]);
    if (child.signalCode === 'SIGKILL') kills += 1;
  };
  const lives = async () => {
    while (kills < KILLS && faults.length === 0) await life();
  };
  await Promise.all(Array.from({ length: PROCESSES }, lives));
  return { acks, faults, kills };
}

/** Brings every run that the dead left behind to its end, as any server that lives on would. */
async function heal(house: House): Promise<void> {
  const { store, database } = house.first;
  for (;;) {
    await store.expireClaims(1000);
    await store.resolveDue(100);
    for (const claim of await store.claim(house.agent([], 'agt_healer'), 64, 600_000)) {
      if (claim.journal.length === 0) await store.append(refOf(claim), step(0));
      await store.complete(refOf(claim), { status: 'succeeded', output: null });
    }
    const [open] = await database.read<{ n: number }>(
      `SELECT COUNT(*) AS n FROM runs_runs WHERE status NOT IN ('succeeded', 'failed', 'cancelled')`,
    );
    if (Number(open!.n) === 0) return;
  }
}

/** Nothing that was acknowledged is lost or different. */
async function missing(house: House, acks: readonly string[]): Promise<string[]> {
  const { database } = house.first;
  const keys = async (statement: string) => new Set((await database.read<{ k: string }>(statement)).map(({ k }) => k));
  const records = await database.read<{ activity_id: string; position: number; exit_code: number }>(
    `SELECT activity_id, position, exit_code FROM runs_journal WHERE kind = 'step'`,
  );
  const known = {
    submit: await keys('SELECT run_id AS k FROM runs_runs'),
    complete: await keys(`SELECT run_id AS k FROM runs_runs WHERE status = 'succeeded'`),
    cancel: await keys(`SELECT run_id AS k FROM runs_runs WHERE status = 'cancelled'`),
    signal: await keys('SELECT run_id AS k FROM runs_signals'),
    append: new Set(records.map(({ activity_id, position, exit_code }) => `${activity_id} ${position} ${exit_code}`)),
  };
  return acks.filter((ack) => {
    const space = ack.indexOf(' ');
    const kind = ack.slice(0, space) as keyof typeof known;
    return space > 0 && !known[kind].has(ack.slice(space + 1));
  });
}

async function stormTest(t: Test, url: string): Promise<void> {
  const handle = await openDatabase({ database_url: url }, deps);
  await handle.migrate([
    { plugin: 'masking', migrations: [maskingTables] },
    { plugin: 'runs', migrations: runsMigrations },
  ]);
  const house = new House([serverOn(handle, deps.ids)], deps.ids);
  const { acks, faults, kills } = await storm(url, house);
  t.same(faults, []);
  t.ok(kills >= KILLS, `${kills} kills`);
  t.same(await checkInvariants(handle.database), []);
  await heal(house);
  t.same(await checkInvariants(handle.database, { settled_ms: 0 }), []);
  t.same(await missing(house, acks), [], `${acks.length} acknowledgements`);
  await handle.close();
}

t.setTimeout(60_000 + KILLS * 6000);

await t.test('SQLite in a file', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-storm-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await stormTest(t, `sqlite:${join(folder, 'svc.db')}`);
});

const mysql = await startMysql();
if ('reason' in mysql) t.comment(`the MySQL half is left out: ${mysql.reason}`);
else {
  t.teardown(() => mysql.stop());
  await t.test('MySQL', async (t) => {
    const { url, drop } = await createDatabase(mysql.url);
    t.teardown(drop);
    await stormTest(t, url);
  });
}
