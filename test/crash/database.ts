import { until } from '../../features/support/process.ts';
import { startTarget } from '../../features/support/target.ts';
import { createDatabase, type PrivateMysqlServer } from '../support/mysql-server.ts';
import { CrashRun } from './crash-run.ts';
import { workload } from './script.ts';
import { ledgerOf, violationsOf } from './verdict.ts';

/** A run during which the database server itself is killed and comes back, `deaths` times. */
export async function databaseDies(mysql: PrivateMysqlServer, deaths: number) {
  const { url } = await createDatabase(mysql.url);
  const target = await startTarget({ agents: 1, database_url: url, env: { SVC_LEASE_MS: '3000' } });
  const own = target.own!;
  try {
    const ledger = ledgerOf(own);
    const work = workload(deaths * 10 + 10, ledger);
    const run = new CrashRun(target, work);
    await run.submit();
    const seen: number[] = [];
    for (let death = 1; death <= deaths; death += 1) {
      await run.advance(death * 8);
      await mysql.kill();
      seen.push(await readiness(target.base_url, 503));
      await mysql.restart();
      seen.push(await readiness(target.base_url, 200));
    }
    const status = await run.end();
    return {
      status,
      seen,
      survived: own.server.running && own.agents.every(({ running }) => running),
      violations: await violationsOf(own, run, work, ledger),
    };
  } finally {
    await target.close();
  }
}

/** Waits until `readyz` answers this status. */
function readiness(base_url: string, wanted: number): Promise<number> {
  return until(`readyz to answer ${wanted}`, 60_000, async () => {
    const { status } = await fetch(`${base_url}/readyz`);
    return status === wanted ? status : undefined;
  });
}
