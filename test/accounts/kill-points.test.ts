import t from 'tap';
import { isLong, onlyLong } from '../support/length.ts';
import { openMysql } from '../support/mysql-server.ts';
import { DEATHS, type KillPoint, PAIRS, WAYS } from './kill-points.ts';
import { killRun, type KillPlan } from './kill-run.ts';

// tap ends a whole file after 30 s unless told otherwise.
t.setTimeout(600_000);

const named = (list: readonly KillPoint[], ...names: string[]) => list.filter(({ name }) => names.includes(name));
const [sent] = named(DEATHS, 'sent');

/** A part of the whole, which `node test/accounts/long.ts` runs. */
const ON_SQLITE: KillPlan = {
  pairs: PAIRS,
  ways: named(WAYS, 'plain', 'request-lost', 'answer-cut', 'repeated', 'no', 'broken', 'busy'),
  deaths: (isLong ? DEATHS : [sent!]).map((point) => ['rotates_and_revokes', point] as const),
  down: ['rotates_and_revokes'],
  servers: 1,
};

const ON_MYSQL: KillPlan = {
  pairs: ['rotates', 'rotates_and_revokes'],
  ways: named(WAYS, 'answer-lost'),
  deaths: [],
  crowd: 10,
  orphans: [['rotates_and_revokes', sent!]],
  servers: 2,
};

async function check(t: typeof import('tap').default, plan: KillPlan): Promise<void> {
  const { wanted, found, overlaps, survived, leaks, scanned, events } = await killRun(plan);
  t.same(found, wanted, 'as the table of outcomes says');
  t.same(overlaps, [], 'never two requests for one account');
  t.same(survived, [], 'every server died where it was to die');
  t.same(leaks, [], 'no token and no secret anywhere');
  t.ok(
    events >= found.filter((line) => /in_doubt|needs_reauth/.test(line)).length,
    `${events} events tell of the ends`,
  );
  t.ok(scanned > 100_000, `${scanned} bytes were looked at`);
}

t.test('SQLite: one server', { timeout: 600_000 }, (t) => check(t as typeof import('tap').default, ON_SQLITE));

t.test('MySQL: two servers', { timeout: 600_000, ...onlyLong }, async (t) => {
  const database_url = await openMysql(t);
  if (database_url === undefined) return;
  return check(t as typeof import('tap').default, { ...ON_MYSQL, database_url });
});
