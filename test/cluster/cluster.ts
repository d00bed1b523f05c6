import { parseArgs } from 'node:util';
import { startPrivateNats } from '../support/nats-server.ts';
import { loseCommits, lossTable, type Mode, MODES } from './commit-loss.ts';
import { type Galera, startGalera } from './galera.ts';
import { mixed } from './mixed/mixed.ts';
import { STRIKES } from './mixed/strikes.ts';
import { ClusterPlace } from './place.ts';
import { races } from './races/all.ts';
import { differences } from './verdict.ts';
import { figureLine, FORMS, throughput } from './throughput.ts';

const USAGE = `usage: npm run cluster -- [--rounds <n>] [--runs <n>] [--only races|mixed|bench|commit-loss]
  [--race <name>] [--nats on|off] [--seed <n>]`;

/** `npm run cluster`: see README.md beside this. One line an item; exits 1 when a promise was broken. */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '500' },
    runs: { type: 'string', default: '1000' },
    only: { type: 'string' },
    race: { type: 'string' },
    nats: { type: 'string', default: 'off' },
    seed: { type: 'string', default: '1' },
  },
});

interface Setting {
  rounds: number;
  runs: number;
  seed: number;
  nats_url: string | undefined;
}

const PARTS = { 'commit-loss': commitLoss, races: raceAll, mixed: mixedRuns, bench };

/** Of the text protocol and of statements prepared before nothing may be lost; that `within` loses shows the fault. */
async function commitLoss(cluster: Galera, { runs, seed }: Setting): Promise<boolean> {
  const found = [];
  for (const mode of Object.keys(MODES) as Mode[]) found.push(await loseCommits(cluster, mode, runs * 3, seed));
  for (const line of lossTable(found)) console.log(line);
  const kept = found.filter(({ mode }) => mode !== 'within').every(({ lost, half }) => lost + half === 0);
  return told('commit-loss', kept, 'only what is prepared within a transaction loses commits');
}

async function raceAll(cluster: Galera, { rounds, seed, nats_url }: Setting): Promise<boolean> {
  const place = await ClusterPlace.open(cluster, { servers: [0, 1, 2], agents: 3, nats_url });
  let good = true;
  try {
    for (const [name, race] of races) {
      if (values.race !== undefined && values.race !== name) continue;
      const { failed, violations, seconds, busy } = await race(place, rounds, seed);
      const line = `${failed} of ${rounds} rounds failed, ${busy} times 503, ${seconds.toFixed(0)} s`;
      good = told(name, violations.length === 0 && busy === 0, line, violations) && good;
    }
    await place.stopAll();
    const unlike = await differences(cluster, place.database);
    good = told('nodes', unlike.length === 0, 'every table has the same rows on every node', unlike) && good;
  } finally {
    await place.close();
  }
  return good;
}

async function mixedRuns(cluster: Galera, { runs, seed, nats_url }: Setting): Promise<boolean> {
  // Each victim twice, and in a short form once.
  const strikes = runs >= 200 ? [...STRIKES, ...STRIKES] : STRIKES;
  const result = await mixed(cluster, { runs, strikes, seed, nats_url, say: (line) => console.log(line) });
  const worst = (...names: string[]) =>
    Math.max(0, ...result.struck.filter(({ strike }) => names.includes(strike)).map(({ stall }) => stall)).toFixed(1);
  const line = `${result.runs} runs, longest stall ${worst('node', 'donor')} s after a node, ${worst('server')} s after a server`;
  return told('mixed', result.violations.length === 0, line, result.violations);
}

async function bench(cluster: Galera, { runs, nats_url }: Setting): Promise<boolean> {
  let good = true;
  for (const form of FORMS) {
    const figure = await throughput(cluster, form, Math.ceil(runs / 5), nats_url);
    good = told('bench', figure.failed === 0, figureLine(figure)) && good;
  }
  return good;
}

function told(name: string, ok: boolean, line: string, violations: readonly string[] = []): boolean {
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${name}: ${line}`);
  for (const violation of violations.slice(0, 12)) console.log(`  ${violation}`);
  if (violations.length > 12) console.log(`  and ${violations.length - 12} more`);
  return ok;
}

async function main(): Promise<boolean> {
  const { only } = values;
  if (only !== undefined && !Object.hasOwn(PARTS, only)) throw new Error(USAGE);
  const cluster = await startGalera();
  if ('reason' in cluster) throw new Error(cluster.reason);
  const nats = values.nats === 'on' ? await startPrivateNats() : undefined;
  const end = async () => {
    await ClusterPlace.closeAll();
    if (nats && 'stop' in nats) await nats.stop();
    await cluster.close();
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void end().finally(() => process.exit(130)));
  try {
    if (nats && 'reason' in nats) throw new Error(nats.reason);
    const [rounds, runs, seed] = [Number(values.rounds), Number(values.runs), Number(values.seed)];
    let good = true;
    for (const [name, part] of Object.entries(PARTS))
      if (only === undefined || only === name)
        good = (await part(cluster, { rounds, runs, seed, nats_url: nats?.url })) && good;
    return good;
  } finally {
    await end();
  }
}

process.exitCode = (await main()) ? 0 : 1;
