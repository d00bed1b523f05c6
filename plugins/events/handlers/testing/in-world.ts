import t, { type Test } from 'tap';
import { checkRuns, openTestDatabase, type Store, STORES, type TestDatabase } from '../../../../test/kit/index.ts';
import { checkHandlerInvariants } from './invariants.ts';
import { openWorld, type World } from './world.ts';

/** Checks what must always be true of the rows of handlers and runs. */
export async function assertInvariants(t: Test, world: World): Promise<void> {
  t.same(await checkHandlerInvariants(world.database, world.limits.project.untrusted.handlers), []);
  t.same(await checkRuns(world.database), []);
}

/** Opens a server with handlers for a test, and checks the invariants at its end. */
export async function inWorld(
  t: Test,
  database: TestDatabase,
  options: Parameters<typeof openWorld>[1],
  work: (world: World) => Promise<void>,
): Promise<void> {
  const world = await openWorld(database, options);
  try {
    await work(world);
    await assertInvariants(t, world);
  } finally {
    await world.close();
  }
}

type WithWorld = (t: Test, work: (world: World) => Promise<void>) => Promise<void>;

/** Defines the tests of `define` for each store, on one database a store. Their servers claim work of their own accord. */
export function onEachStore(define: (store: Store, withWorld: WithWorld) => void): void {
  for (const store of STORES) {
    let database: TestDatabase;
    t.before(async () => {
      database = await openTestDatabase(store);
    });
    t.teardown(() => database.drop());
    define(store, (t, work) => inWorld(t, database, { idle: false }, work));
  }
}
