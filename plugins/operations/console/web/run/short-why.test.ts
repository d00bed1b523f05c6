import t from 'tap';
import { rerunSite, shortWhy } from './short-why.ts';

t.test('a card does not say twice what it says', async (t) => {
  const because = [
    'The run has been waiting since 2026-11-28T00:02:51.263Z (17m 11s); the deadline is 2026-11-28T23:02:51.263Z. It is waiting for the signal approval.',
    'aproval was sent 5s ago, and nothing waits for that name.',
  ];
  const next = [
    'send it: svc signal run_1 approval',
    'send it under the name that the run waits for: svc signal run_1 approval',
  ];
  t.same(shortWhy({ because, next }, 'waiting'), { because: [because[1]], next: [next[1]] });
  const lock = ['The run has been waiting since 2026-11-28T00:02:51.263Z (1s). The lock production is held by run_2.'];
  t.same(shortWhy({ because: lock, next: [] }, 'waiting').because, ['The lock production is held by run_2.']);
  t.same(shortWhy({ because: ['The run failed with x.', 'It had tried twice.'], next: [] }, 'failed').because, [
    'It had tried twice.',
  ]);
  const [running] = shortWhy(
    { because: ['The run has been in progress since 2026-11-28T00:02:51.263Z; no call.'], next: [] },
    'running',
  ).because;
  t.match(running, /^The run has been in progress since \d\d:\d\d:51; no call\.$/);
});

t.test('a hint to run again is a button', async (t) => {
  t.equal(
    rerunSite("once the cause is gone, go on from there: svc rerun run_1 --from 'step it'\\''s#0'"),
    "step it's#0",
  );
  t.equal(rerunSite('go on from there: svc rerun run_1 --from test'), 'test');
  t.equal(rerunSite('read its log: svc logs run_1'), undefined);
});
