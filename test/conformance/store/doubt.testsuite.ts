import type { Test } from 'tap';
import { Database, GroupCommits, type Replacement, type Transaction } from '../../../kernel/contracts/index.ts';
import { DatabaseErrors } from '../../../plugins/platform/database/errors.ts';
import { DatabaseGroupCommits } from '../../../plugins/platform/database/group-commit.ts';
import { readRun } from '../../../plugins/engine/runs/store/read/reading.ts';
import { call, refOf, Scenario, step, text, waitFor } from './scenario.ts';
import { openServer, type Server } from './server.ts';
import { alteredDatabase, systemClock, type TestDatabase } from '../../kit/index.ts';

/** What becomes of a transaction: its answer arrives, is lost after the commit, or is lost with the commit. */
const FATES = ['answered', 'lost', 'answered', 'undone', 'lost', 'undone', 'answered'] as const;

const lostAnswer = () => DatabaseErrors.commitUnknown('the connection broke in a test');

/** The same database over a connection that breaks around commits, in a fixed order of fates. */
function doubtful(database: Database): { replace: Replacement[]; struck: () => number } {
  let count = 0;
  let struck = 0;
  const transaction = async <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => {
    const fate = FATES[count++ % FATES.length]!;
    if (fate !== 'answered') struck += 1;
    const answer = await database.transaction(async (tx) => {
      const result = await work(tx);
      if (fate === 'undone') throw lostAnswer();
      return result;
    });
    if (fate === 'lost') throw lostAnswer();
    return answer;
  };
  const broken = alteredDatabase(database, { usesCommitCertification: () => false, transaction });
  const replace: Replacement[] = [
    [Database, () => broken],
    [GroupCommits, () => new DatabaseGroupCommits(broken, systemClock)],
  ];
  return { replace, struck: () => struck };
}

/** After a lost COMMIT answer every transition is done exactly once, whether it was committed or not. */
export function doubtSuite(t: Test, shared: TestDatabase, sound: Server): void {
  t.test('a whole run over a connection that breaks around commits', async (t) => {
    const broken = doubtful(sound.database);
    const server = await openServer(shared, broken.replace);
    t.teardown(() => server.close());
    for (let round = 0; round < FATES.length * 2; round++) await wholeRun(t, new Scenario([server]));
    t.ok(broken.struck() > 60, `${broken.struck()} answers were lost`);
  });
}

async function wholeRun(t: Test, h: Scenario): Promise<void> {
  const run = h.newRun({ idempotency_key: 'once', tags: ['a:b'] });
  t.equal((await h.store.createRun(run)).duplicate, false);
  t.match(await h.store.createRun(h.newRun({ idempotency_key: 'once' })), { run_id: run.run_id, duplicate: true });
  const claim = await claimed(h);
  await Promise.all([0, 1, 2].map((position) => h.store.append(refOf(claim), step(position))));
  const counting = call(3, { kind: 'count', name: '', args: {} });
  t.equal(text(await h.store.perform(refOf(claim), counting)), '1');
  for (const n of [0, 1]) await h.store.appendLogs(refOf(claim), [{ n, stream: 'stdout', at: n, data: '' }]);
  await h.store.annotate(refOf(claim), 0, 'note');
  await h.signal(run.run_id, 'go', 1);
  await h.signal(run.run_id, 'go', 2);
  t.match(await h.store.park(refOf(claim), waitFor(4, 'go')), { record: { exit_code: 0 } });
  t.match(await h.store.park(refOf(claim), waitFor(5, 'go', { ordinal: 1 })), { record: { exit_code: 0 } });
  t.same(await h.store.park(refOf(claim), waitFor(6, 'go', { ordinal: 2 })), { parked: true });
  await h.signal(run.run_id, 'go', 3);
  const next = await claimed(h);
  t.same(next.journal.slice(4).map(text), ['1\n', '2\n', '3\n']);
  await h.store.release(refOf(next));
  await h.store.complete(refOf(await claimed(h)), { status: 'succeeded', output: { done: true } });
  t.match(await readRun(h.first.database, h.first.sealer, h.run(run.run_id), run.run_id), { status: 'succeeded' });
  t.equal(await h.count('runs_logs', 'run_id = ?', [run.run_id]), 2);
  t.equal(await h.count('runs_signals', 'run_id = ?', [run.run_id]), 3);
  t.equal(
    await h.count('runs_runs', 'run_id = ? AND started_at IS NOT NULL AND finished_at IS NOT NULL', [run.run_id]),
    1,
  );
  const announced = h.first.heard.transitions.filter(({ run_id }) => run_id === run.run_id).map(({ type }) => type);
  t.equal(new Set(announced).size, announced.length, 'no transition is announced twice');
  const other = await h.submit();
  t.match(await h.store.cancelRun({ ...h.run(other.run_id), reason: 'r' }), { status: 'cancelled' });
}

/** A claim whose answer was lost with its commit took nothing: the next one finds the work again. */
async function claimed(h: Scenario) {
  for (;;) {
    const [claim] = await h.store.claim(h.agent(), 1, 600_000);
    if (claim) return claim;
  }
}
