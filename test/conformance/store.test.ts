import t from 'tap';
import { openTestDatabase, STORES, type TestDatabase } from '../kit/index.ts';
import { storeSuite } from './store.testsuite.ts';

await t.test('sqlite in memory', async (t) => {
  const file = await openTestDatabase();
  t.teardown(() => file.drop());
  const database: TestDatabase = { ...file, url: 'sqlite::memory:' };
  await storeSuite(t, { database, lasting: false });
});

// @store: the contract of both.
for (const store of STORES)
  await t.test(store, async (t) => {
    const database = await openTestDatabase(store);
    t.teardown(() => database.drop());
    await storeSuite(t, { database, lasting: true });
  });
