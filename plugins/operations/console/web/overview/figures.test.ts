import t from 'tap';
import type { RunRecord, Summary } from '../../../../../cli/generated/api.ts';
import { before, changeOf, groupsOf, percent, quantile, timesOf, trimmed } from './figures.ts';

const HOUR = 3_600_000;
const START = Date.parse('2026-11-21T00:00:00.000Z');
const bucket = (hour: number, succeeded: number, failed = 0) => ({
  ...{ at: new Date(START + hour * HOUR).toISOString(), started: succeeded },
  ...{ succeeded, failed, cancelled: 0 },
});
const summary = (from: number, to: number, series: Summary['series']) =>
  ({
    since: new Date(START + from * HOUR).toISOString(),
    at: new Date(START + to * HOUR).toISOString(),
    series,
  }) as Summary;
const run = (minute: number, message: string) =>
  ({
    run_id: `run_${minute}`,
    created_at: new Date(START + minute * 60_000).toISOString(),
    started_at: new Date(START + minute * 60_000 + 500).toISOString(),
    finished_at: new Date(START + minute * 60_000 + 2500).toISOString(),
    error: { code: 'script_failed', message },
  }) as RunRecord;

t.test('a window is compared with the one before it', async (t) => {
  const longer = summary(0, 48, [bucket(0, 5, 1), bucket(23, 4), bucket(24, 9)]);
  t.same(before(summary(24, 48, []), longer), { completed: 10, failed: 1 });
  t.equal(before(summary(20, 48, []), longer), undefined, 'it does not reach back so far');
  t.equal(before(summary(24, 48, []), undefined), undefined);
  t.equal(changeOf(112, 100), '+12%');
  t.equal(changeOf(50, 100), '−50%');
  t.equal(changeOf(5, 0), undefined);
});

t.test('shares and middles', async (t) => {
  t.same([0, 0.027, 0.5].map(percent), ['0%', '2.7%', '50%']);
  t.equal(quantile([3, 1, 2], 0.5), 2);
  t.equal(quantile([], 0.5), undefined);
  t.same(timesOf([run(2, 'b'), run(1, 'a')]), { took: [2000, 2000], queued: [500, 500] });
});

t.test('the chart begins where something began', async (t) => {
  const series = Array.from({ length: 48 }, (_, hour) => bucket(hour, hour >= 40 ? 1 : 0));
  t.equal(trimmed(series, 6).length, 9);
  t.equal(trimmed(series).length, 16);
  t.equal(
    trimmed(
      series.map((one) => ({ ...one, succeeded: 0, started: 0 })),
      6,
    ).length,
    6,
  );
});

t.test('failures of one kind are one', async (t) => {
  const runs = [run(59, 'order 8 failed'), run(30, 'other'), run(1, 'order 7 failed')];
  const [first, second] = groupsOf(runs, START, START + HOUR);
  t.match(first, { title: 'order 8 failed', count: 2, run: { run_id: 'run_59' } });
  t.same(first!.histogram, [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
  t.match(second, { title: 'other', count: 1 });
});
