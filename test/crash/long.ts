import { parseArgs } from 'node:util';
import { crowd } from '../pipelines/crowd.ts';
import { createDatabase, startMysql } from '../support/mysql-server.ts';
import { crash } from './crash.ts';
import { crashWorkers } from './workers.ts';
import { AGENT_POINTS, dieAtPoints, SERVER_POINTS } from './failpoints.ts';

/**
 * The long run: `npm run crash -- --store mysql --servers 2 --agents 3 --steps 200 --kills 20 --rounds 3 --seed 1`,
 * or `-- --workers 2 --runs 4` for functions on workers, or `-- --points` for the named points, or `-- --pipelines 100` for as many pipelines at once. Prints one line a round; exits 1 when a promise was broken.
 */
const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'sqlite' },
    servers: { type: 'string', default: '1' },
    agents: { type: 'string', default: '1' },
    steps: { type: 'string', default: '200' },
    kills: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    points: { type: 'boolean', default: false },
    workers: { type: 'string', default: '0' },
    runs: { type: 'string', default: '4' },
    python: { type: 'boolean', default: false },
    pipelines: { type: 'string', default: '0' },
  },
});

async function databases(): Promise<{ url: () => Promise<string | undefined>; close: () => Promise<void> }> {
  if (values.store === 'sqlite') return { url: async () => undefined, close: async () => undefined };
  const server = await startMysql();
  if ('reason' in server) throw new Error(server.reason);
  const made: { drop: () => Promise<void> }[] = [];
  return {
    url: async () => {
      const database = await createDatabase(server.url);
      made.push(database);
      return database.url;
    },
    close: async () => {
      for (const database of made) await database.drop();
      await server.stop();
    },
  };
}

async function round(seed: number, url: string | undefined): Promise<boolean> {
  const kills = Number(values.kills);
  const began = Date.now();
  const { status, struck, violations } = await crash({
    servers: Number(values.servers),
    agents: Number(values.agents),
    steps: Number(values.steps),
    kills: { script: kills, agent: kills, server: kills },
    seed,
    ...(url === undefined ? {} : { database_url: url }),
  });
  const hit = struck.script + struck.agent + struck.server;
  const share = Math.round((hit / Math.max(1, kills * 3)) * 100);
  const ok = status === 'succeeded' && violations.length === 0 && share >= 90;
  console.log(
    `${ok ? 'ok  ' : 'FAIL'} seed ${seed}: ${status}, struck ${JSON.stringify(struck)} (${share} %), ${Math.round((Date.now() - began) / 1000)} s`,
  );
  for (const violation of violations) console.log(`  ${violation}`);
  return ok;
}

async function functions(seed: number, url: string | undefined): Promise<boolean> {
  const kills = Number(values.kills);
  const began = Date.now();
  const { statuses, struck, violations } = await crashWorkers({
    language: values.python ? 'python' : 'typescript',
    servers: Number(values.servers),
    workers: Number(values.workers),
    runs: Number(values.runs),
    steps: Number(values.steps),
    kills: { program: kills, worker: kills, server: kills },
    seed,
    ...(url === undefined ? {} : { database_url: url }),
  });
  const hit = struck.program + struck.worker + struck.server;
  const share = Math.round((hit / Math.max(1, kills * 3)) * 100);
  const ok = statuses.every((status) => status === 'succeeded') && violations.length === 0 && share >= 90;
  console.log(
    `${ok ? 'ok  ' : 'FAIL'} seed ${seed}: ${statuses.join(', ')}, struck ${JSON.stringify(struck)} (${share} %), ${Math.round((Date.now() - began) / 1000)} s`,
  );
  for (const violation of violations) console.log(`  ${violation}`);
  return ok;
}

async function pipelines(seed: number, url: string | undefined): Promise<boolean> {
  const began = Date.now();
  const plan = { servers: Number(values.servers), agents: Number(values.agents), kills: Number(values.kills), seed };
  const { struck, violations } = await crowd({
    ...{ ...plan, pipelines: Number(values.pipelines) },
    ...(url === undefined ? {} : { database_url: url }),
  });
  const took = `${Math.round((Date.now() - began) / 1000)} s`;
  console.log(
    `${violations.length === 0 ? 'ok  ' : 'FAIL'} seed ${seed}: ${values.pipelines} pipelines, struck ${struck}, ${took}`,
  );
  for (const violation of violations) console.log(`  ${violation}`);
  return violations.length === 0;
}

async function points(url: string | undefined): Promise<boolean> {
  const results = await dieAtPoints([...SERVER_POINTS, ...AGENT_POINTS], url);
  for (const one of results) console.log(`${one.point}: died ${one.died}, ${one.status} ${one.violations.join('; ')}`);
  return results.every(({ died, status, violations }) => died && status === 'succeeded' && violations.length === 0);
}

const source = await databases();
try {
  let good = true;
  if (values.points) good = await points(await source.url());
  else
    for (let index = 0; index < Number(values.rounds); index += 1) {
      const work = Number(values.pipelines) > 0 ? pipelines : Number(values.workers) > 0 ? functions : round;
      good = (await work(Number(values.seed) + index, await source.url())) && good;
    }
  process.exitCode = good ? 0 : 1;
} finally {
  await source.close();
}
