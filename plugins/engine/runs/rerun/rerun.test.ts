import t from 'tap';
import type { RecordedSite } from '../contract.ts';
import { nearest } from '../../../platform/schema/contract.ts';
import { recordsBefore } from './site.ts';

const records = (
  [
    ['step', 'build', 0],
    ['sleep', '', 0],
    ['step', 'check', 0],
    ['step', 'check', 1],
    ['activity-submit', 'x', 0],
    ['activity-collect', 'x', 0],
    ['step', 'check', 2],
    ['step', 'sleep', 0],
  ] as const
).map(([kind, name, ordinal], position): RecordedSite => ({ position, kind, name, ordinal, exit_code: 0 }));

t.test('a site is a name and its occurrence', async (t) => {
  const cases: [string, number][] = [
    ['build#0', 0],
    ['build', 0],
    ['check', 2],
    ['check#0', 2],
    ['check#2', 6],
    ['sleep sleep', 1],
    ['step sleep', 7],
    ['activity-submit x', 4],
    ['activity-collect x', 5],
    ['activity-collect x#0', 5],
  ];
  for (const [from, position] of cases) t.equal(recordsBefore(records, from), position, from);
});

t.test('a site of several calls is refused, and each of them is named', async (t) => {
  for (const from of ['x', 'x#0'])
    t.throws(() => recordsBefore(records, from), {
      code: 'invalid_request',
      message:
        /"x(#0)?" is the site of 2 calls: "activity-submit x#0" \(call 5\) and "activity-collect x#0" \(call 6\)/,
      extras: { errors: [{ pointer: '/from', message: /put the verb before the site/ }] },
    });
  t.throws(() => recordsBefore(records, 'sleep'), { message: /"sleep sleep#0" \(call 2\) and "step sleep#0"/ });
  const waits = (['step', 'wait-signal', 'wait-event'] as const).map((kind, position) => ({
    ...{ position, kind, name: 'load', ordinal: 0, exit_code: 0 },
  }));
  t.throws(() => recordsBefore(waits, 'load'), {
    message: /"step load#0" \(call 1\), "wait-signal load#0" \(call 2\) and "wait-event load#0" \(call 3\)/,
  });
  t.equal(recordsBefore(waits, 'wait-event load'), 2);
});

t.test('another text is refused, with the sites that are nearest', async (t) => {
  t.throws(() => recordsBefore(records, 'chekc#2'), { code: 'invalid_request', message: /similar sites: check#2/ });
  t.throws(() => recordsBefore(records, 'check#3'), {
    message: /no site "check#3" in this run; similar sites: check#/,
  });
  t.throws(() => recordsBefore([], 'check'), { message: /has recorded no sites/ });
  t.throws(() => recordsBefore(records, 'é'.repeat(100_000)), { code: 'invalid_request' });
  t.throws(() => recordsBefore(records, ''), { code: 'invalid_request' });
});

t.test('likeness counts what must be changed', async (t) => {
  t.same(nearest('deploy', ['destroy', 'deploy#0', 'build', 'deplo'], 2), ['deplo', 'deploy#0']);
  t.same(nearest('', ['bb', 'a'], 5), ['a', 'bb']);
  t.same(nearest('a', [], 5), []);
});
