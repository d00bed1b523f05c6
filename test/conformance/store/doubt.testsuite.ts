import type { Test } from 'tap';
import { systemClock } from '../../../kernel/boot/services/clock.ts';
import type { Database, Transaction } from '../../../kernel/contracts/index.ts';
import { DatabaseErrors } from '../../../kernel/database/errors.ts';
import { DatabaseGroupCommits } from '../../../kernel/database/group-commit.ts';
import { readRun } from '../../../plugins/runs/store/reading.ts';
import { House, type Opened, refOf, serverOn, step, text, waitFor } from './house.ts';

/** What becomes of a transaction: its answer arrives, is lost after the commit, or is lost with the commit. */
const FATES = ['answered', 'lost', 'answered', 'undone', 'lost', 'undone', 'answered'] as const;

const lostAnswer = () => DatabaseErrors.commitUnknown('the connection broke in a test');

/** The same database over a connection that breaks around commits, in a fixed order of fates. */
function doubtful(opened: Opened): Opened & { struck: () => number } {
  let count = 0;
  let struck = 0;
  const transaction = async <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => {
    const fate = FATES[count++ % FATES.length]!;
    if (fate !== 'answered') struck += 1;
    const answer = await opened.database.transaction(async (tx) => {
      const result = await work(tx);
      if (fate === 'undone') throw lostAnswer();
      return result;
    });
    if (fate === 'lost') throw lostAnswer();
    return answer;
  };
  const { database } = opened;
  const broken: Database = {
    sql: database.sql,
    sequelize: database.sequelize,
    read: (statement, params) => database.read(statement, params),
    write: (statement, params) => database.write(statement, params),
    now: () => database.now(),
    ping: () => database.ping(),
    transaction,
  };
  return {
    database: broken,
    group_commits: new DatabaseGroupCommits(broken, systemClock),
    close: async () => {},
    struck: () => struck,
  };
}

/** After a lost COMMIT answer every transition is done exactly once, whether it was committed or not. */
export function doubtSuite(t: Test, opened: Opened, sound: House): void {
  t.test('a whole run over a connection that breaks around commits', async (t) => {
    const broken = doubtful(opened);
    for (let round = 0; round < FATES.length * 2; round++) await wholeRun(t, broken, sound);
    t.ok(broken.struck() > 60, `${broken.struck()} answers were lost`);
  });
}

async function wholeRun(t: Test, broken: Opened, sound: House): Promise<void> {
  const h = new House([serverOn(broken, sound.ids)], sound.ids);
  const run = h.newRun({ idempotency_key: 'once', tags: ['a:b'] });
  t.equal((await h.store.createRun(run)).duplicate, false);
  t.match(await h.store.createRun(h.newRun({ idempotency_key: 'once' })), { run_id: run.run_id, duplicate: true });
  const claim = await claimed(h);
  await Promise.all([0, 1, 2].map((position) => h.store.append(refOf(claim), step(position))));
  const call = { ...step(3), kind: 'count', name: '', args: {} };
  t.equal(text(await h.store.perform(refOf(claim), call)), '1');
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
  t.equal(await h.count('runs_announcements', 'run_id = ?', [run.run_id]), 2);
  const other = await h.submit();
  t.match(await h.store.cancelRun({ ...h.run(other.run_id), reason: 'r' }), { status: 'cancelled' });
}

/** A claim whose answer was lost with its commit took nothing: the next one finds the work again. */
async function claimed(h: House) {
  for (;;) {
    const [claim] = await h.store.claim(h.agent(), 1, 600_000);
    if (claim) return claim;
  }
}
