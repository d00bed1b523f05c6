import { parseArgs } from 'node:util';
import { createDatabase, startMysql } from '../support/mysql-server.ts';
import { DEATHS, PAIRS, WAYS } from './kill-points.ts';
import { killRun } from './kill-run.ts';

/**
 * Every capability pair and every kill point: `node test/accounts/long.ts [--store mysql]`, with two servers on MySQL. Prints
 * a line for each case; exits 1 when a promise was broken.
 */
const { values } = parseArgs({ options: { store: { type: 'string', default: 'sqlite' } } });

const deaths = PAIRS.flatMap((pair) => DEATHS.map((point) => [pair, point] as const));
const plan = { pairs: PAIRS, ways: WAYS, deaths, down: PAIRS, crowd: 20 };
const sent = deaths.filter(([, { fault }]) => fault === 'hold');

async function onMysql() {
  const server = await startMysql();
  if ('reason' in server) throw new Error(server.reason);
  const database = await createDatabase(server.url);
  try {
    return await killRun({ ...plan, servers: 2, orphans: sent, database_url: database.url });
  } finally {
    await database.drop();
    await server.stop();
  }
}

const { wanted, found, overlaps, survived, leaks } = await (values.store === 'mysql'
  ? onMysql()
  : killRun({ ...plan, servers: 1 }));
for (const [nth, line] of found.entries())
  console.log(line === wanted[nth] ? `ok   ${line}` : `FAIL ${line}, and not ${wanted[nth]}`);
const broken = [...overlaps.map((grant) => `two at once for ${grant}`), ...survived, ...leaks];
for (const line of broken) console.log(`FAIL ${line}`);
process.exitCode = broken.length === 0 && found.every((line, nth) => line === wanted[nth]) ? 0 : 1;
