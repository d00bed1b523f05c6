import t from 'tap';
import { formatDuration, MAX_DURATION_MS, parseDuration } from './duration.ts';
import { isServiceError } from './errors.ts';

t.test('the forms of the specification', async (t) => {
  const forms: [string, number][] = [
    ['5s', 5000],
    ['1m', 60_000],
    ['2h', 7_200_000],
    ['30d', 2_592_000_000],
    ['0s', 0],
    ['250ms', 250],
    ['1h30m', 5_400_000],
    ['1d2h3m4s5ms', 93_784_005],
    ['90m', 5_400_000],
    ['3650d', MAX_DURATION_MS],
  ];
  for (const [text, ms] of forms) t.equal(parseDuration(text), ms, text);
});

t.test('everything else is refused with the accepted forms', async (t) => {
  const bad = [
    '',
    '5',
    's',
    '-5s',
    '+5s',
    '1.5h',
    '5 s',
    ' 5s',
    '5s ',
    '5S',
    '5w',
    '1m1h',
    '1s1s',
    '5sx',
    'x5s',
    '1e3s',
  ];
  for (const text of [...bad, '3651d', '9'.repeat(400), `${'9'.repeat(15)}d`, '5s\n', '٣s'])
    t.throws(() => parseDuration(text), { code: 'duration_invalid', status: 400 }, JSON.stringify(text));
  try {
    parseDuration('soon');
    t.fail('must throw');
  } catch (error) {
    t.ok(isServiceError(error, 'duration_invalid'));
    t.match((error as Error).message, /"soon".*5s.*1h30m/);
  }
});

t.test('a formatted duration reads back as itself', async (t) => {
  for (const ms of [0, 1, 999, 1000, 61_000, 5_400_000, 93_784_005, MAX_DURATION_MS])
    t.equal(parseDuration(formatDuration(ms)), ms);
  t.equal(formatDuration(5_400_000), '1h30m');
});
