import t from 'tap';
import { stepsOfJob, writerOf } from './job-log.ts';

const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;
const line = (second: number, text: string, stream = 'system') => ({
  ...{ at: at(second), text, stream },
  ...{ activity: 'b', activity_id: 'act_b', pass: 1 },
});

t.test('the steps of a job by the lines of the service', async (t) => {
  const lines = [
    line(1, '[b] compile'),
    line(1, 'hello', 'stdout'),
    line(2, '[b] fake', 'stdout'),
    line(3, '[b] test'),
    line(4, '[b] test: failed'),
    line(4, '[b] report: skipped'),
  ];
  t.same(stepsOfJob(lines, 'b', at(5)), [
    { name: 'compile', state: 'ended', from: at(1), to: at(3), line: 0 },
    { name: 'test', state: 'failed', from: at(3), to: at(4), line: 3 },
    { name: 'report', state: 'skipped', from: at(4), to: at(4), line: 5 },
  ]);
  t.match(stepsOfJob(lines.slice(0, 4), 'b', undefined).at(-1), { name: 'test', state: 'begun', to: undefined });
});

t.test('of a job that begins again, the newest attempt counts', async (t) => {
  const lines = [line(1, '[b] one'), line(2, '[b] one: failed'), line(3, '[b] one'), line(4, '[b] two')];
  t.match(stepsOfJob(lines, 'b', at(5)), [
    { name: 'one', state: 'ended', from: at(3), to: at(4) },
    { name: 'two', state: 'ended', to: at(5) },
  ]);
});

t.test('names of writers', async (t) => {
  t.equal(writerOf('b', undefined), 'b');
  t.equal(writerOf('b', 0), 'b[0]');
});
