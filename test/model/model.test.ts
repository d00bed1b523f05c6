import t from 'tap';
import { isLong, onlyLong } from '../support/length.ts';
import { openMysql } from '../support/mysql-server.ts';
import { randomPrograms } from './random-programs.ts';

// tap ends a whole file after 30 s unless told otherwise.
t.setTimeout(600_000);

/** The short run of the gate; `node test/model/long.ts` is the long one. */
const SHORT = { programs: isLong ? 200 : 50, seed: 20_261_121, at_once: 12 };

t.test('SQLite: random programs do what the model says', { timeout: 600_000 }, async (t) => {
  t.same(await randomPrograms(SHORT), []);
});

t.test('MySQL: random programs do what the model says', { timeout: 600_000, ...onlyLong }, async (t) => {
  const database_url = await openMysql(t);
  if (database_url === undefined) return;
  t.same(await randomPrograms({ ...SHORT, seed: SHORT.seed + 1_000_000, database_url }), []);
});
