import t from 'tap';
import type { RunRecord } from '../../../../../cli/generated/api.ts';
import { piecesOf, rangeOf } from './time-bar.ts';
import { familiesOf, sharesOf } from './tree.ts';

const run = (run_id: string, parent?: string, status = 'succeeded') => ({ run_id, parent, status }) as RunRecord;

t.test('children stand below their parent, where that is listed', async (t) => {
  const families = familiesOf([run('d', 'b'), run('c', 'b', 'failed'), run('b', 'a'), run('a'), run('x', 'gone')]);
  t.same(
    families.map(({ run: { run_id }, children }) => [run_id, ...children.map((one) => one.run_id)]),
    [['a', 'b', 'd', 'c'], ['x']],
  );
  t.same(sharesOf(families[0]!.children), [
    ['succeeded', 2],
    ['failed', 1],
  ]);
  t.same(familiesOf([run('a', 'a')]).length, 1, 'one that calls itself its parent is seen');
});

const NOW = Date.parse('2026-11-21T10:00:00.000Z');
const at = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString();

t.test('bars reach back as far as most runs do', async (t) => {
  t.equal(rangeOf([], NOW).name, 'Last 15 minutes');
  const created = [1, 2, 3, 90, 5000].map((minutes) => ({ created_at: at(minutes) }));
  t.equal(rangeOf(created.slice(0, 3), NOW).name, 'Last 15 minutes');
  t.equal(rangeOf(created, NOW).name, 'Last 7 days');
});

t.test('a bar has the time in the queue and the time since', async (t) => {
  const range = { name: '', ms: 60 * 60_000 };
  const waits = { status: 'waiting', created_at: at(60), started_at: at(30) } as RunRecord;
  t.same(piecesOf(waits, NOW, range), [
    { state: 'queued', left: 0, width: 50 },
    { state: 'waiting', left: 50, width: 50 },
  ]);
  const short = { status: 'failed', created_at: at(0), started_at: at(0), finished_at: at(0) } as RunRecord;
  t.same(piecesOf(short, NOW, range), [{ state: 'failed', left: 98.4, width: 1.6 }]);
});
