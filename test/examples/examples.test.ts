import t from 'tap';
import { onlyLong } from '../support/length.ts';
import { openMysql } from '../support/mysql-server.ts';
import { dripByDays } from './days.ts';
import { runExamples } from './examples-run.ts';
import { needs } from '../kit/needs.ts';

// tap ends a whole file after 30 s unless told otherwise.
t.setTimeout(600_000);

t.test(
  'SQLite: every example does what it is for while scripts, agents and servers are killed',
  { timeout: 600_000, ...needs('python3') },
  async (t) => {
    const { found, struck } = await runExamples({ servers: 1, agents: 2, kills: 4, seed: 20_261_121 });
    t.same(found, []);
    t.equal(struck, 4, 'every strike hit');
  },
);

t.test('MySQL: and on two servers', { timeout: 600_000, ...needs('python3'), ...onlyLong }, async (t) => {
  const database_url = await openMysql(t);
  if (database_url === undefined) return;
  const plan = { servers: 2, agents: 3, kills: 4, seed: 7, database_url };
  const { found, struck } = await runExamples(plan);
  t.same(found, []);
  t.equal(struck, 4, 'every strike hit');
});

t.test('SQLite: a campaign over days, on a clock that is put forward', { timeout: 600_000 }, async (t) => {
  const seen = await dripByDays(6);
  const [first, second, third] = ['welcome', 'tips', 'offer'];
  t.same(
    seen.map(({ mails, status }) => [mails.join(' '), status]),
    [
      ...Array.from({ length: 3 }, () => [first, 'waiting']),
      ...Array.from({ length: 3 }, () => [`${first} ${second}`, 'waiting']),
      [`${first} ${second} ${third}`, 'succeeded'],
    ],
  );
});
