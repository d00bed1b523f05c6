import t from 'tap';
import { isLong, onlyLong } from '../support/length.ts';
import { createDatabase, startMysql } from '../support/mysql-server.ts';
import { randomPrograms } from './random-programs.ts';
import { leaveOut } from '../kit/needs.ts';

// tap ends a whole file after 30 s unless told otherwise.
t.setTimeout(600_000);

/** The short run of the gate; `node test/model/long.ts` is the long one. */
const SHORT = { programs: isLong ? 200 : 50, seed: 20_261_121, at_once: 12 };

t.test('SQLite: random programs do what the model says', { timeout: 600_000 }, async (t) => {
  t.same(await randomPrograms(SHORT), []);
});

t.test('MySQL: random programs do what the model says', { timeout: 600_000, ...onlyLong }, async (t) => {
  const server = await startMysql();
  if ('reason' in server) return leaveOut(t, 'mariadbd', server.reason);
  t.teardown(() => server.stop());
  const database = await createDatabase(server.url);
  t.teardown(() => database.drop());
  t.same(await randomPrograms({ ...SHORT, seed: SHORT.seed + 1_000_000, database_url: database.url }), []);
  return undefined;
});
