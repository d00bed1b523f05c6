import t, { type Test } from 'tap';
import { until } from '../../features/support/process.ts';
import { startTarget, type Target } from '../../features/support/target.ts';
import { leaveOut } from '../kit/needs.ts';
import { inTurn } from './length.ts';
import { createDatabase, startMysql } from './mysql-server.ts';

/**
 * Defines a test of `title` on each store, with a server that kills itself at a failpoint, such as `locks.granted:2`. A run of
 * the gate holds the one in turn.
 */
export function testKilledServer(
  title: string,
  failpoint: string,
  work: (t: Test, target: Target) => Promise<void>,
): void {
  const env = { SVC_FAILPOINTS: failpoint };
  void t.test(`SQLite: ${title}`, inTurn('sqlite'), async (t) => {
    const target = await startTarget({ agents: 1, env });
    t.teardown(() => target.close());
    await work(t, target);
  });

  void t.test(`MySQL: ${title}`, inTurn('mysql'), async (t) => {
    const mysql = await startMysql();
    if ('reason' in mysql) return leaveOut(t, 'mariadbd', mysql.reason);
    t.teardown(() => mysql.stop());
    const database = await createDatabase(mysql.url);
    t.teardown(() => database.drop());
    const target = await startTarget({ database_url: database.url, agents: 1, env });
    t.teardown(() => target.close());
    await work(t, target);
    return undefined;
  });
}

/**
 * Sends up to `count` requests while the server lives, waits until it has killed itself, and starts another one without
 * failpoints. Returns what the server acknowledged; it may die before it answers a request that it carried out.
 */
export async function sendUntilKilled<Answer>(
  t: Test,
  target: Target,
  count: number,
  send: (n: number) => Promise<Answer>,
): Promise<Answer[]> {
  const own = target.own!;
  const acknowledged: Answer[] = [];
  for (let n = 0; n < count && own.server.running; n++)
    await send(n).then(
      (answer) => acknowledged.push(answer),
      () => undefined,
    );
  await until('the server to die', 60_000, async () => (own.server.running ? undefined : true));
  t.equal(own.server.child.signalCode, 'SIGKILL');
  delete own.env.SVC_FAILPOINTS;
  own.server = (await own.startServer()).service;
  return acknowledged;
}
