import t, { type Test } from 'tap';
import { isLong, onlyLong } from '../support/length.ts';
import { openMysql } from '../support/mysql-server.ts';
import { AGENT_POINTS, dieAt, dieAtRandom, openFlowTarget, SERVER_POINTS } from './flow-crash.ts';

t.setTimeout(1_790_000);

/** One of the plan, one of a pause, one of the end, and one of an agent: the others are for the long run. */
const SOME_POINTS = ['flows.planned:1', 'flows.pause.ended:1', 'flows.resumed.advanced:1', ...AGENT_POINTS];
const POINTS = isLong ? [...SERVER_POINTS, ...AGENT_POINTS] : SOME_POINTS;

async function crashes(t: Test, points: readonly string[], database_url?: string): Promise<void> {
  const target = await openFlowTarget(database_url);
  t.teardown(() => target.close());
  for (const point of points) {
    const { died, violations } = await dieAt(target, point);
    t.ok(died, `${point} was passed`);
    t.same(violations, [], point);
  }
  const { violations } = await dieAtRandom(target, isLong ? 4 : 2, 20_261_122);
  t.same(violations, [], 'killed at random');
}

t.test('SQLite: a flow ends right wherever server or agent die', { timeout: 900_000 }, (t) => crashes(t, POINTS));

t.test('MySQL: a flow ends right wherever server or agent die', { timeout: 900_000, ...onlyLong }, async (t) => {
  const database_url = await openMysql(t);
  if (database_url === undefined) return;
  return crashes(t, POINTS, database_url);
});
