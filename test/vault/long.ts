import { parseArgs } from 'node:util';
import { createDatabase, startMysql } from '../support/mysql-server.ts';
import { type CanaryPlan, canaryRun } from './canary-run.ts';
import { rekeyRun } from './rekey-run.ts';

/**
 * The full size: `node test/vault/long.ts --store mysql --cuts 4000 --rounds 3` cuts every form at every byte;
 * `--rekey --orgs 300 --kills 100` changes the master key under kills. Prints a line a round; exits 1 on a leak or a loss.
 */
const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'sqlite' },
    cuts: { type: 'string', default: '4000' },
    rounds: { type: 'string', default: '1' },
    rekey: { type: 'boolean', default: false },
    orgs: { type: 'string', default: '300' },
    kills: { type: 'string', default: '100' },
  },
});

async function withStore<T>(work: (database_url: string | undefined) => Promise<T>): Promise<T> {
  if (values.store === 'sqlite') return work(undefined);
  const server = await startMysql();
  if ('reason' in server) throw new Error(server.reason);
  const database = await createDatabase(server.url);
  try {
    return await work(database.url);
  } finally {
    await database.drop();
    await server.stop();
  }
}

async function canaries(database_url: string | undefined): Promise<boolean> {
  const plan: CanaryPlan = { cuts: Number(values.cuts), ...(database_url ? { database_url } : {}) };
  const { hits, said, masks, looked, statuses } = await canaryRun(plan);
  const ok = hits.length === 0 && statuses.join() === 'succeeded,failed' && masks >= said;
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${said} forms said, ${masks} masks, looked at ${JSON.stringify(looked)}`);
  for (const hit of hits.slice(0, 20)) console.log(`  ${hit}`);
  return ok;
}

async function rekeys(database_url: string | undefined): Promise<boolean> {
  const plan = { orgs: Number(values.orgs), kills: Number(values.kills), ...(database_url ? { database_url } : {}) };
  const { killed, lost, refused } = await rekeyRun(plan);
  const ok = lost.length === 0 && killed >= plan.kills * 0.9 && refused;
  console.log(`${ok ? 'ok  ' : 'FAIL'} rekey killed ${killed} times, ${lost.length} values lost`);
  return ok;
}

let good = true;
for (let round = 0; round < Number(values.rounds); round += 1)
  good = (await withStore(values.rekey ? rekeys : canaries)) && good;
process.exitCode = good ? 0 : 1;
