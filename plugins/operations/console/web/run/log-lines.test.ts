import t from 'tap';
import { LogLines } from './log-lines.ts';

const event = (text: string | Buffer, more = {}) => ({
  stream: 'stdout',
  at: '2026-11-22T10:00:00.000Z',
  activity_id: 'act_1',
  data: Buffer.from(text).toString('base64'),
  ...more,
});
const texts = (log: LogLines) => log.lines.map(({ text }) => text);

t.test('chunks become lines, wherever they were cut', async (t) => {
  const whole = Buffer.from('one\ntwö\n\nfour');
  for (let size = 1; size <= whole.length; size++) {
    const log = new LogLines();
    for (let from = 0; from < whole.length; from += size) log.add(event(whole.subarray(from, from + size)));
    t.same(texts(log), ['one', 'twö', '', 'four'], `pieces of ${size}`);
  }
});

t.test('an unfinished line is shown, and is finished where it stands though others write', async (t) => {
  const log = new LogLines();
  log.add(event('working'));
  log.add(event('warn\n', { stream: 'stderr' }));
  log.add(event(' hard\nnext'));
  t.same(texts(log), ['working hard', 'warn', 'next']);
  t.same(
    log.lines.map(({ stream }) => stream),
    ['stdout', 'stderr', 'stdout'],
  );
});

t.test('writers do not mix', async (t) => {
  const log = new LogLines();
  log.add(event('a', { activity_id: 'act_1', activity: 'build' }));
  log.add(event('b', { activity_id: 'act_2', activity: 'test' }));
  log.add(event('A\n', { activity_id: 'act_1', activity: 'build' }));
  t.same(
    log.lines.map(({ text, activity }) => [activity, text]),
    [
      ['build', 'aA'],
      ['test', 'b'],
    ],
  );
});

t.test('a line without an end stays bounded', async (t) => {
  const log = new LogLines();
  for (let n = 0; n < 20; n++) log.add(event('x'.repeat(4096)));
  log.add(event('\nnext\n'));
  t.same(
    log.lines.map(({ text }) => text.length),
    [16_384, 4],
  );
});

t.test('lines of passes before the last of their program are known', async (t) => {
  const log = new LogLines();
  const earlier = () => log.lines.filter((line) => log.isEarlier(line)).map(({ text }) => text);
  log.add(event('one\n', { pass: 3 }));
  log.add(event('other\n', { activity_id: 'act_2', pass: 1 }));
  t.equal(log.hasEarlier, false, 'one pass of each');
  log.add(event('two\n', { pass: 5 }));
  t.equal(log.hasEarlier, true);
  t.same(earlier(), ['one']);
  log.add(event('late\n', { pass: 3 }));
  t.same(earlier(), ['one', 'late']);
  log.clear();
  log.add(event('one\n', { pass: 3 }));
  t.same(earlier(), []);
});
