import { createDatabase, startMysql } from '../support/mysql-server.ts';
import { randomPrograms } from './random-programs.ts';

/** `node test/model/long.ts [programs] [seed]`: many random programs on both stores; 5,000 unless told otherwise. */
async function main(): Promise<void> {
  const [programs = 5000, seed = Date.now() % 1_000_000_000] = process.argv.slice(2).map(Number);
  const plan = { programs, seed, at_once: 16 };
  const found = { SQLite: await randomPrograms(plan), MySQL: await onMysql(plan) };
  for (const [store, differences] of Object.entries(found)) {
    console.log(`${store}: ${programs} programs from seed ${seed}, ${differences.length} differences`);
    for (const difference of differences.slice(0, 20)) console.log(`  ${difference}`);
    if (differences.length > 0) process.exitCode = 1;
  }
}

async function onMysql(plan: { programs: number; seed: number; at_once: number }): Promise<string[]> {
  const server = await startMysql();
  if ('reason' in server) return [`left out: ${server.reason}`];
  const database = await createDatabase(server.url);
  try {
    return await randomPrograms({ ...plan, database_url: database.url });
  } finally {
    await database.drop();
    await server.stop();
  }
}

await main();
