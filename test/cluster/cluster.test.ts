import t from 'tap';
import { isLong, onlyLong } from '../support/length.ts';
import { loseCommits } from './commit-loss.ts';
import { type Galera, startGalera } from './galera.ts';
import { mixed } from './mixed/mixed.ts';
import { ClusterPlace } from './place.ts';
import { races } from './races/all.ts';
import { readAtTheNext } from './stale-reads.ts';
import { differences } from './verdict.ts';
import { omit } from '../kit/needs.ts';

/** The short form of `npm run cluster`; of this, a change must pass that a node is lost under load. */
// tap ends a whole file after 30 s unless told otherwise.
t.setTimeout(600_000);

const SEED = 1;
/** Rounds of those that take longer than a moment; 8 of all others. */
const ROUNDS: Record<string, number> = { locks: 4, 'handler-ceilings': 3, schedules: 30 };

const cluster = await startGalera();
if ('reason' in cluster) omit(t, 'servers on three Galera nodes', 'galera', cluster.reason);
else {
  t.teardown(() => cluster.close());
  onThreeNodes(cluster);
}

function onThreeNodes(cluster: Galera): void {
  t.test('commits that are prepared before, or checked, are not lost', onlyLong, async (t) => {
    for (const mode of ['before', 'text', 'check', 'svc'] as const) {
      const { committed, lost, half } = await loseCommits(cluster, mode, 270, SEED);
      t.same({ lost, half }, { lost: 0, half: 0 }, `${mode}: ${committed} committed`);
    }
  });

  t.test('what another node has committed is not said to be missing', onlyLong, async (t) => {
    const { stale, wrong } = await readAtTheNext(cluster, 60);
    t.comment(`${stale} of 60 plain reads were behind`);
    t.same(wrong, { transaction: 0, group: 0, caughtUp: 0 });
  });

  t.test('three servers, each on its node, race for the same rows', onlyLong, async (t) => {
    const place = await ClusterPlace.open(cluster, { servers: [0, 1, 2], agents: 3 });
    t.teardown(() => place.close());
    for (const [name, race] of races) {
      const { violations, busy, seconds } = await race(place, ROUNDS[name] ?? 8, SEED);
      t.same(violations, [], `${name} (${seconds.toFixed(1)} s)`);
      t.equal(busy, 0, `${name}: nobody was answered 503`);
    }
    await place.stopAll();
    t.same(await differences(cluster, place.database), [], 'every table has the same rows on every node');
  });

  t.test('mixed runs while a server and a node die', async (t) => {
    const say = (line: string) => void t.comment(line.trim());
    const plan = isLong
      ? ({ runs: 30, strikes: ['server', 'node'] } as const)
      : ({ runs: 12, strikes: ['node'] } as const);
    const { runs, violations } = await mixed(cluster, { ...plan, seed: SEED, say });
    t.same(violations, [], `${runs} runs`);
  });
}
