import t, { type Test } from 'tap';
import { createDatabase, startMysql } from '../support/mysql-server.ts';
import { AGENT_POINTS, dieAt, dieAtRandom, openFlowTarget, SERVER_POINTS } from './flow-crash.ts';

t.setTimeout(1_790_000);

async function crashes(t: Test, points: readonly string[], database_url?: string): Promise<void> {
  const target = await openFlowTarget(database_url);
  t.teardown(() => target.close());
  for (const point of points) {
    const { died, violations } = await dieAt(target, point);
    t.ok(died, `${point} was passed`);
    t.same(violations, [], point);
  }
  const { violations } = await dieAtRandom(target, 4, 20_261_122);
  t.same(violations, [], 'killed at random');
}

t.test('SQLite: a flow ends right wherever server or agent die', { timeout: 900_000 }, (t) =>
  crashes(t, [...SERVER_POINTS, ...AGENT_POINTS]),
);

t.test('MySQL: a flow ends right wherever server or agent die', { timeout: 900_000 }, async (t) => {
  const server = await startMysql();
  if ('reason' in server) return t.comment(`left out: crashes of flows on MySQL (${server.reason})`);
  t.teardown(() => server.stop());
  const database = await createDatabase(server.url);
  t.teardown(() => database.drop());
  return crashes(t, [...SERVER_POINTS, ...AGENT_POINTS], database.url);
});
