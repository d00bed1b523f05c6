import type { Test } from 'tap';
import { checkRuns, type TestDatabase } from '../kit/index.ts';
import { attemptSuite } from './store/attempts.testsuite.ts';
import { batchSuite } from './store/batches.testsuite.ts';
import { claimSuite } from './store/claims.testsuite.ts';
import { doubtSuite } from './store/doubt.testsuite.ts';
import { finishSuite } from './store/finish.testsuite.ts';
import { journalSuite } from './store/journal.testsuite.ts';
import { logSuite } from './store/logs.testsuite.ts';
import { outsideSuite } from './store/outside.testsuite.ts';
import { pauseSuite } from './store/pauses.testsuite.ts';
import { refOf, Scenario, step, waitFor } from './store/scenario.ts';
import { openServer, type Server } from './store/server.ts';
import { submitSuite } from './store/submit.testsuite.ts';
import { waitSuite } from './store/waits.testsuite.ts';

/** A kind of store under test. */
export interface StoreUnderTest {
  database: TestDatabase;
  /** The database outlives its connections: it is opened twice, as two servers do, and again after a restart. */
  lasting: boolean;
}

/** Every promise of `RunStore` and `WaitResolver`, the same for every database. */
export async function storeSuite(t: Test, { database, lasting }: StoreUnderTest): Promise<void> {
  const servers = [await openServer(database)];
  if (lasting) servers.push(await openServer(database));
  const first = servers[0]!;
  const inDoubt = (t: Test) => doubtSuite(t, database, first);
  const inBatches = (t: Test) => batchSuite(t, database, first);
  const suites = {
    submitSuite,
    claimSuite,
    journalSuite,
    waitSuite,
    attemptSuite,
    finishSuite,
    outsideSuite,
    logSuite,
    pauseSuite,
    inDoubt,
    inBatches,
  };
  for (const [name, suite] of Object.entries(suites)) {
    await t.test(name, async (t) => {
      suite(t, () => new Scenario(servers));
      await t.test('the invariants hold', async (t) => t.same(await checkRuns(first.database), []));
    });
  }
  if (lasting) await t.test('a restart loses nothing', (t) => restartTest(t, servers, () => openServer(database)));
  for (const { close } of servers) await close();
}

async function restartTest(t: Test, servers: readonly Server[], open: () => Promise<Server>): Promise<void> {
  const before = new Scenario(servers);
  const waiting = await before.started();
  await before.store.append(refOf(waiting), step(0));
  await before.store.park(refOf(waiting), waitFor(1, 'go'));
  const running = await before.started();
  await before.store.append(refOf(running), step(0));
  const queued = await before.submit();
  const again = await open();
  const after = new Scenario([again]);
  const scope = before.run(waiting.run_id);
  await after.store.sendSignal({ ...scope, name: 'go', payload: 'after' });
  await after.store.append(refOf(running), step(1));
  const claims = await after.store.claim(before.agent(), 5, 600_000);
  // In no order: the ages of both are by the clocks of two servers.
  t.same(
    new Map(claims.map(({ run_id, journal }) => [run_id, journal.length])),
    new Map([
      [queued.run_id, 0],
      [waiting.run_id, 2],
    ]),
  );
  await after.store.complete(refOf(running), { status: 'succeeded', output: null });
  t.same(await checkRuns(again.database, { settled_ms: 0 }), []);
  await again.close();
}
