import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { checkRuns, openTestDatabase, STORES, type TestDatabase } from '../kit/index.ts';
import { isLong } from '../support/length.ts';
import { refOf, Scenario, step } from './store/scenario.ts';
import { openServer } from './store/server.ts';

const WORKER = fileURLToPath(new URL('./store/storm-worker.ts', import.meta.url));
const PROCESSES = 3;
/** Every process is killed after it has acknowledged about this much, and another takes its place. */
const ACKS_A_LIFE = 60;
const KILLS = Number(process.env.SVC_TEST_STORM_KILLS ?? (isLong ? 9 : 4));

/** Runs workers on one database, killing each with SIGKILL in the middle of its work; answers what they acknowledged. */
async function storm({ url, master_key }: TestDatabase, scenario: Scenario) {
  // Whatever the killed ones leave behind goes with it.
  const TMPDIR = await mkdtemp(join(tmpdir(), 'svc-storm-'));
  const acks: string[] = [];
  const faults: string[] = [];
  let kills = 0;
  const life = async () => {
    const args = [WORKER, url, master_key, scenario.org_id, scenario.project_id];
    const child: ChildProcess = spawn(process.execPath, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, TMPDIR },
    });
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
  await rm(TMPDIR, { recursive: true, force: true });
  return { acks, faults, kills };
}

/** Brings every run that the dead left behind to its end, as any server that lives on would. */
async function heal(scenario: Scenario): Promise<void> {
  const { store, database } = scenario.first;
  for (;;) {
    await store.expireClaims(1000);
    await store.resolveDue(100);
    for (const claim of await store.claim(scenario.agent([], 'agt_healer'), 64, 600_000)) {
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
async function missing(scenario: Scenario, acks: readonly string[]): Promise<string[]> {
  const { database } = scenario.first;
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

async function stormTest(t: Test, database: TestDatabase): Promise<void> {
  const server = await openServer(database);
  const scenario = new Scenario([server]);
  const { acks, faults, kills } = await storm(database, scenario);
  t.same(faults, []);
  t.ok(kills >= KILLS, `${kills} kills`);
  t.same(await checkRuns(server.database), []);
  await heal(scenario);
  t.same(await checkRuns(server.database, { settled_ms: 0 }), []);
  t.same(await missing(scenario, acks), [], `${acks.length} acknowledgements`);
  await server.close();
}

t.setTimeout(60_000 + KILLS * 60_000);

// @store: the contract of both.
for (const store of STORES)
  await t.test(store, async (t) => {
    const database = await openTestDatabase(store);
    t.teardown(() => database.drop());
    await stormTest(t, database);
  });
