import t, { type Test } from 'tap';
import { type CronTimes, parseCron } from './cron.ts';
import { type StartRules, startOf } from './starts.ts';
import { MAX_LATE_MS, MAX_COUNTED, computeTick } from './ticks.ts';
import { findZone } from './zone.ts';

const at = (iso: string) => Date.parse(iso);
const iso = (time: number | undefined) =>
  time === undefined ? 'never' : new Date(time).toISOString().replace(':00.000Z', 'Z').replace('.000Z', 'Z');

function timesOf(cron: string, zone = 'UTC') {
  const read = parseCron(cron, findZone(zone)!);
  if ('problem' in read) throw new Error(`${cron}: ${read.problem}`);
  return read.times;
}

/** The next `count` times after an instant. */
function upcoming(cron: string, zone: string, from: string, count: number): string[] {
  const times = timesOf(cron, zone);
  const found: string[] = [];
  for (let time: number | undefined = at(from); found.length < count; found.push(iso(time))) {
    time = times.after(time!);
    if (time === undefined) break;
  }
  return found;
}

t.test('five fields, six fields, names and the signs of the trade', async (t) => {
  const from = '2026-11-21T10:00:00Z';
  const cases: [cron: string, ...times: string[]][] = [
    ['*/20 * * * *', '2026-11-21T10:20Z', '2026-11-21T10:40Z', '2026-11-21T11:00Z'],
    ['*/20 * * * * *', '2026-11-21T10:00:20Z', '2026-11-21T10:00:40Z', '2026-11-21T10:01Z'],
    ['30 6 * * MON-FRI', '2026-11-23T06:30Z', '2026-11-24T06:30Z', '2026-11-25T06:30Z'],
    ['0 0 1 JAN,jul *', '2027-01-01T00:00Z', '2027-07-01T00:00Z'],
    ['0 0 L * *', '2026-11-30T00:00Z', '2026-12-31T00:00Z', '2027-01-31T00:00Z', '2027-02-28T00:00Z'],
    ['0 0 * * MON#1', '2026-12-07T00:00Z', '2027-01-04T00:00Z'],
    ['0 0 * * FRI#L', '2026-11-27T00:00Z', '2026-12-25T00:00Z'],
    ['0 0 15W * *', '2026-12-15T00:00Z', '2027-01-15T00:00Z', '2027-02-15T00:00Z'],
    ['0 0 * * 0', '2026-11-22T00:00Z', '2026-11-29T00:00Z'],
    ['0 0 * * 7', '2026-11-22T00:00Z', '2026-11-29T00:00Z'],
    ['0 12 13 * FRI', '2026-11-27T12:00Z', '2026-12-04T12:00Z', '2026-12-11T12:00Z', '2026-12-13T12:00Z'],
    ['0 0 29 2 *', '2028-02-29T00:00Z', '2032-02-29T00:00Z'],
    ['@daily', '2026-11-22T00:00Z', '2026-11-23T00:00Z'],
    ['@Weekly', '2026-11-22T00:00Z'],
    ['  5   4 * * *\t', '2026-11-22T04:05Z'],
  ];
  for (const [cron, ...times] of cases) t.same(upcoming(cron, 'UTC', from, times.length), times, cron);
  t.same(upcoming('0 9 * * *', 'Asia/Kolkata', from, 1), ['2026-11-22T03:30Z']);
  t.same(upcoming('0 9 * * *', 'America/New_York', from, 1), ['2026-11-21T14:00Z']);
});

/** Cron expression, time zone, start, the next times, and what the case shows. */
type Case = readonly [cron: string, zone: string, from: string, times: string, says?: string];

function sameTimes(t: Test, cases: readonly Case[]): void {
  for (const [cron, zone, from, text, says] of cases) {
    const times = text.split(' ');
    t.same(upcoming(cron, zone, from, times.length), times, says ?? `${cron} from ${from}`);
  }
}

t.test('a time that does not exist on a day fires once, when the clock has jumped', async (t) => {
  sameTimes(t, [
    ['30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00:00Z', '2026-03-28T01:30Z 2026-03-29T01:00Z 2026-03-30T00:30Z'],
    ['30 2 * * *', 'Europe/Berlin', '2027-03-27T12:00:00Z', '2027-03-28T01:00Z 2027-03-29T00:30Z'],
    ['30 2 * * *', 'America/New_York', '2026-03-07T12:00:00Z', '2026-03-08T07:00Z 2026-03-09T06:30Z'],
    ['30 2 * * *', 'America/New_York', '2027-03-13T12:00:00Z', '2027-03-14T07:00Z 2027-03-15T06:30Z'],
    [
      '15,30,45 2 * * *',
      'Europe/Berlin',
      '2026-03-28T12:00:00Z',
      '2026-03-29T01:00Z 2026-03-30T00:15Z',
      'however many of them the jump took',
    ],
    [
      '*/30 2,3 * * *',
      'Europe/Berlin',
      '2026-03-28T12:00:00Z',
      '2026-03-29T01:00Z 2026-03-29T01:30Z 2026-03-30T00:00Z',
      'and not twice at the time to which the clock jumped',
    ],
    ['30 2 29 3 *', 'Europe/Berlin', '2026-03-01T00:00:00Z', '2026-03-29T01:00Z 2027-03-29T00:30Z'],
    ['59 59 2 * * *', 'Europe/Berlin', '2026-03-29T00:59:58Z', '2026-03-29T01:00Z'],
    ['30 2 * * *', 'Europe/Berlin', '2026-03-29T01:00:00Z', '2026-03-30T00:30Z', 'after that jump'],
  ]);
});

t.test('a time that exists twice on a day fires the first time only', async (t) => {
  sameTimes(t, [
    ['30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', '2026-10-25T00:30Z 2026-10-26T01:30Z'],
    ['30 2 * * *', 'Europe/Berlin', '2027-10-30T12:00:00Z', '2027-10-31T00:30Z 2027-11-01T01:30Z'],
    ['30 1 * * *', 'America/New_York', '2026-10-31T12:00:00Z', '2026-11-01T05:30Z 2026-11-02T06:30Z'],
    ['30 1 * * *', 'America/New_York', '2027-11-06T12:00:00Z', '2027-11-07T05:30Z 2027-11-08T06:30Z'],
    [
      '*/20 2 * * *',
      'Europe/Berlin',
      '2026-10-24T12:00:00Z',
      '2026-10-25T00:00Z 2026-10-25T00:20Z 2026-10-25T00:40Z 2026-10-26T01:00Z',
      'each of several',
    ],
    ['30 2 * * *', 'Europe/Berlin', '2026-10-25T00:45:00Z', '2026-10-26T01:30Z', 'between the two'],
    ['30 2 * * *', 'Europe/Berlin', '2026-10-25T01:10:00Z', '2026-10-26T01:30Z', 'in the second'],
    ['0 3 * * *', 'Europe/Berlin', '2026-10-25T01:59:00Z', '2026-10-25T02:00Z', 'right behind it'],
  ]);
});

t.test('what is due every hour goes by elapsed time', async (t) => {
  t.same(upcoming('0 * * * *', 'Europe/Berlin', '2026-10-24T23:30:00Z', 4), [
    '2026-10-25T00:00Z',
    '2026-10-25T01:00Z',
    '2026-10-25T02:00Z',
    '2026-10-25T03:00Z',
  ]);
  t.same(upcoming('15 * * * *', 'Europe/Berlin', '2026-03-29T00:00:00Z', 3), [
    '2026-03-29T00:15Z',
    '2026-03-29T01:15Z',
    '2026-03-29T02:15Z',
  ]);
  const year = timesOf('0 * * * *', 'America/New_York');
  let hours = 0;
  for (let time = at('2026-01-01T00:00:00Z'); time < at('2027-01-01T00:00:00Z'); hours++) time = year.after(time)!;
  t.equal(hours, 365 * 24);
});

t.test('every day of two years has one tick, wherever the clocks change', async (t) => {
  const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Beirut', 'Africa/Casablanca'];
  for (const zone of [...zones, 'America/St_Johns', 'Pacific/Chatham'])
    for (const cron of ['30 2 * * *', '0 0 * * *', '45 1 * * *', '15 3 * * *']) {
      const place = findZone(zone)!;
      const times = timesOf(cron, zone);
      const days: string[] = [];
      for (let time = at('2026-01-01T12:00:00Z'); days.length < 730; ) {
        time = times.after(time)!;
        days.push(new Date(time + place.offset(time)).toISOString().slice(0, 10));
      }
      t.equal(new Set(days).size, 730, `${cron} in ${zone}`);
      t.equal((at(days[729]!) - at(days[0]!)) / 86_400_000, 729, 'and none is left out');
    }
});

t.test('what is not a cron expression is told, with the field and why', async (t) => {
  const cases: [cron: string, says: string][] = [
    ['', 'has 0 fields'],
    ['* * * *', 'has 4 fields; it must have five'],
    ['* * * * * * *', 'has 7 fields'],
    ['0 0 1 1 * 2027', '"2027" as its day of the week'],
    ['61 * * * *', '"61" as its minute, which must be 0 to 59'],
    ['60 0 0 * * *', '"60" as its second'],
    ['0 24 * * *', '"24" as its hour'],
    ['0 0 32 * *', '"32" as its day of the month'],
    ['0 0 * FOO *', '"FOO" as its month'],
    ['0 0 * * MON#6', '"MON#6" as its day of the week'],
    ['*/0 * * * *', '"*/0" as its minute'],
    ['5-1 * * * *', '"5-1" as its minute'],
    ['1e1 * * * *', '"1e1" as its minute'],
    ['-1 * * * *', '"-1" as its minute'],
    ['H * * * *', '"H" as its minute'],
    ['\u0000 * * * *', 'as its minute'],
    ['\ud800 * * * *', 'as its minute'],
    ['@reboot', 'be one of @yearly'],
    ['@constructor', 'be one of @yearly'],
    [`${'1,'.repeat(200)}1 * * * *`, 'at most 255 characters'],
    ['0 0 30 2 *', 'never fires'],
    ['0 0 31 4,6,9,11 *', 'never fires'],
    ['0 0 30 FEB +MON', 'never fires'],
  ];
  for (const [cron, says] of cases) {
    const read = parseCron(cron, findZone('UTC')!, at('2026-11-21T00:00:00Z'));
    t.ok('problem' in read && read.problem.includes(says), `${cron}: ${JSON.stringify(read)}`);
  }
});

t.test('zones are those of the IANA list', async (t) => {
  for (const name of ['UTC', 'Europe/Berlin', 'europe/berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'])
    t.ok(findZone(name), name);
  for (const name of ['', '+02:00', 'Mars/Olympus', '../etc/passwd', 'Europe/Berlin\0', 'E'.repeat(65), '__proto__'])
    t.equal(findZone(name), undefined, name);
  const berlin = findZone('Europe/Berlin')!;
  t.equal(iso(berlin.change(at('2026-06-01T00:00:00Z'), at('2027-01-01T00:00:00Z'))), '2026-10-25T01:00Z');
  t.equal(berlin.change(at('2026-06-01T00:00:00Z'), at('2026-10-25T00:59:59Z')), undefined);
});

const NO_RULES = { schedule_id: 'sch_1', jitter_ms: null, catch_up_ms: null, deadline_ms: null };
const tickOf = (times: CronTimes, due: number, now: number, rules: Partial<StartRules> = {}) =>
  computeTick(times, { due, starts_at: due }, now, { ...NO_RULES, ...rules });

t.test('what was missed is one tick, and the next one is on time', async (t) => {
  const minutely = timesOf('* * * * *');
  const due = at('2026-11-21T10:00:00Z');
  t.same(tickOf(minutely, due, due), { due, next: due + 60_000 });
  t.same(tickOf(minutely, due, due + MAX_LATE_MS), { due, next: due + 60_000 }, 'late, but not missed');
  const at_once = tickOf(minutely, due, due + 600_000 + 59_999);
  const last_due = due + 600_000;
  t.same(at_once, {
    due: last_due,
    next: last_due + 60_000,
    missed: { count: 11, has_more: false, first_due: due, last_due },
  });
  t.same(tickOf(timesOf('0 10 * * *'), due, due + 3_600_000), {
    due,
    next: due + 86_400_000,
    missed: { count: 1, has_more: false, first_due: due, last_due: due },
  });
  const years = tickOf(timesOf('* * * * * *'), due, due + 3 * 365 * 86_400_000 + 1);
  t.equal(years.missed?.count, MAX_COUNTED);
  t.equal(years.missed?.has_more, true);
  t.equal(years.due, due + 3 * 365 * 86_400_000);
  t.equal(years.next, years.due + 1000);
  const burst = tickOf(timesOf('* * 2 * * *'), at('2026-11-20T02:00:00Z'), at('2026-11-21T01:00:00Z'));
  t.equal(iso(burst.due), '2026-11-20T02:59:59Z');
  t.equal(burst.missed?.has_more, true);
});

t.test('within the catch-up window each missed due time has its tick, and older ones are skipped', async (t) => {
  const minutely = timesOf('* * * * *');
  const due = at('2026-11-21T10:00:00Z');
  const now = due + 600_000 + 30_000;
  const skipped = tickOf(minutely, due, now, { catch_up_ms: 120_000 });
  t.match(skipped, { due: due + 480_000, next: due + 540_000, missed: { count: 9 }, skip_reason: /window is 2m$/ });
  t.same(tickOf(minutely, due + 540_000, now, { catch_up_ms: 120_000 }), { due: due + 540_000, next: due + 600_000 });
  t.match(tickOf(minutely, due, now, { catch_up_ms: 0 }), { next: due + 660_000, skip_reason: /window is 0s$/ });
});

t.test('a due time that is later than its deadline is skipped', async (t) => {
  const minutely = timesOf('* * * * *');
  const due = at('2026-11-21T10:00:00Z');
  t.match(tickOf(minutely, due, due + 11_000, { deadline_ms: 10_000 }), { due, skip_reason: /deadline of 10s$/ });
  t.notOk(tickOf(minutely, due, due + 10_000, { deadline_ms: 10_000 }).skip_reason);
  const missed = tickOf(minutely, due, due + 600_000 + 5000, { deadline_ms: 10_000 });
  t.match(missed, { due: due + 600_000, missed: { count: 11 } });
  t.notOk(missed.skip_reason, 'the newest missed one is within it');
});

t.test('jitter depends on the schedule and the due time alone, and stays before the next due time', async (t) => {
  const minutely = timesOf('* * * * *');
  const rules = { ...NO_RULES, jitter_ms: 3_600_000 };
  const due = at('2026-11-21T10:00:00Z');
  const delays = Array.from({ length: 200 }, (_, n) => startOf(minutely, rules, due + n * 60_000));
  for (const { due: one, starts_at } of delays) t.ok(starts_at >= one && starts_at < one + 60_000);
  t.ok(new Set(delays.map(({ due: one, starts_at }) => starts_at - one)).size > 150, 'they are spread');
  t.same(delays[7], startOf(minutely, rules, due + 7 * 60_000));
  t.not(startOf(minutely, { ...rules, schedule_id: 'sch_2' }, due).starts_at, delays[0]!.starts_at);
  t.same(startOf(minutely, NO_RULES, due), { due, starts_at: due });
});
