import type { Test } from 'tap';
import { createIds } from '../../kernel/boot/services/ids.ts';
import type { Clock } from '../../kernel/contracts/index.ts';
import { checkInvariants } from '../../plugins/runs/store/invariants.ts';
import { claimSuite } from './store/claims.testsuite.ts';
import { doubtSuite } from './store/doubt.testsuite.ts';
import { finishSuite } from './store/finish.testsuite.ts';
import { House, type Opened, refOf, serverOn, step, waitFor } from './store/house.ts';
import { journalSuite } from './store/journal.testsuite.ts';
import { logSuite } from './store/logs.testsuite.ts';
import { outsideSuite } from './store/outside.testsuite.ts';
import { submitSuite } from './store/submit.testsuite.ts';
import { waitSuite } from './store/waits.testsuite.ts';

/** A kind of store under test. */
export interface StoreUnderTest {
  name: string;
  clock: Clock;
  /** Opens the same database each time; called more than once only when it is `lasting`. */
  open(): Promise<Opened>;
  /** The database outlives its connections: it is opened twice, as two servers do, and again after a restart. */
  lasting: boolean;
}

/** Every promise of `RunStore` and `WaitResolver`, the same for every database. */
export async function storeSuite(t: Test, kind: StoreUnderTest): Promise<void> {
  const ids = createIds(kind.clock);
  const opened = [await kind.open()];
  if (kind.lasting) opened.push(await kind.open());
  const house = () =>
    new House(
      opened.map((database) => serverOn(database, ids)),
      ids,
    );
  const inDoubt = (t: Test, house: () => House) => doubtSuite(t, opened[0]!, house());
  const suites = { submitSuite, claimSuite, journalSuite, waitSuite, finishSuite, outsideSuite, logSuite, inDoubt };
  for (const [name, suite] of Object.entries(suites)) {
    await t.test(name, async (t) => {
      suite(t, house);
      await t.test('the invariants hold', async (t) => t.same(await checkInvariants(opened[0]!.database), []));
    });
  }
  if (kind.lasting) await t.test('a restart loses nothing', (t) => restartTest(t, kind, house()));
  for (const { close } of opened) await close();
}

async function restartTest(t: Test, kind: StoreUnderTest, before: House): Promise<void> {
  const waiting = await before.started();
  await before.store.append(refOf(waiting), step(0));
  await before.store.park(refOf(waiting), waitFor(1, 'go'));
  const running = await before.started();
  await before.store.append(refOf(running), step(0));
  const queued = await before.submit();
  const again = await kind.open();
  const after = new House([serverOn(again, before.ids)], before.ids);
  const scope = before.run(waiting.run_id);
  await after.store.sendSignal({ ...scope, name: 'go', payload: 'after' });
  await after.store.append(refOf(running), step(1));
  const claims = await after.store.claim(before.agent(), 5, 600_000);
  t.same(
    claims.map(({ run_id, journal }) => [run_id, journal.length]),
    [
      [queued.run_id, 0],
      [waiting.run_id, 2],
    ],
  );
  await after.store.complete(refOf(running), { status: 'succeeded', output: null });
  t.same(await checkInvariants(again.database, { settled_ms: 0 }), []);
  await again.close();
}
