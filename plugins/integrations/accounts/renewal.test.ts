import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { Database } from '../../../kernel/contracts/index.ts';
import { STORES, type Store, until } from '../../../test/kit/index.ts';
import { Credentials } from '../../secrets/credentials/contract.ts';
import { Wakeups } from '../../engine/runs/contract.ts';
import { RENEWAL_TABLE } from './domain/renewal-table.ts';
import { firstDue, nextWarning, pauseAfter } from './domain/times.ts';
import { type SimulatedFailure, RemoteProvider } from './testing/remote-provider.ts';
import { openWorld, type World } from './testing/world.ts';

const DAY = 86_400_000;

const PAIRS = { keeps: [false, false], rotates: [true, false], rotates_and_revokes: [true, true] } as const;

async function worldOf(t: Test, store: Store, pair: keyof typeof PAIRS): Promise<World> {
  const far = new RemoteProvider();
  [far.rotates, far.family] = PAIRS[pair];
  await far.listen();
  t.teardown(() => far.close());
  return openWorld(t, store, { far });
}

/** Makes what is due later due now, until the account has come to rest in one of these states. */
async function drive(
  world: World,
  name: string,
  statuses: readonly string[],
): Promise<{ status: string; [member: string]: unknown }> {
  return until(async () => {
    const view = await world.account(name);
    if (statuses.includes(view.status) && (view.status !== 'active' || view.renewed_at !== undefined)) return view;
    await world.hurry(name);
    await world.server
      .use(Database)
      .write('UPDATE accounts_renewals SET until_at = 1 WHERE until_at < ?', [
        world.server.use(Database).now() + 50_000,
      ]);
    world.server.use(Wakeups).topic('accounts.changed');
    return undefined;
  });
}

const counted = (list: readonly string[]): number[] => [
  ...list.reduce((sum, one) => sum.set(one, (sum.get(one) ?? 0) + 1), new Map<string, number>()).values(),
];

// @store: one server renews.
for (const store of STORES)
  for (const pair of ['keeps', 'rotates', 'rotates_and_revokes'] as const)
    t.test(`${store}: ${pair}`, async (t) => {
      const world = await worldOf(t, store, pair);
      const { far } = world;
      const cases: [string, SimulatedFailure[], string][] = [
        ['plain', [], 'active'],
        ['busy', ['busy', 'client'], 'active'],
        ['once', ['cut_before'], pair === 'rotates_and_revokes' ? 'in_doubt' : 'active'],
        ['answer', ['cut_after'], pair === 'keeps' ? 'active' : pair === 'rotates' ? 'needs_reauth' : 'in_doubt'],
        ['gateway', ['gateway'], pair === 'rotates_and_revokes' ? 'in_doubt' : 'active'],
        ['twice', ['cut_before', 'cut_before'], pair === 'keeps' ? 'active' : 'in_doubt'],
      ];
      for (const [name, faults, status] of cases) {
        t.equal((await world.connect(name)).status, 200);
        far.presented.length = 0;
        far.failures.splice(0, Number.POSITIVE_INFINITY, ...faults);
        const view = await drive(world, name, ['active', 'needs_reauth', 'in_doubt']);
        t.equal(view.status, status, `${name}: ${view.reason} ${view.last_error}`);
        const lost = faults.filter((fault) => fault !== 'busy' && fault !== 'client').length;
        const most = pair === 'rotates' ? Math.min(lost, 1) + 1 : 1;
        // A token that the provider keeps may be presented any number of times.
        if (faults[0] !== 'busy' && pair !== 'keeps')
          t.ok(Math.max(...counted(far.presented)) <= most, `${name}: ${counted(far.presented)}`);
        if (status === 'in_doubt') t.match(view.reason, /may have been presented.*request rnw_/);
        await world.call('admin', `DELETE {scoped}/accounts/${name}`);
      }
    });

t.test('what happens to grants', async (t) => {
  const world = await worldOf(t, 'sqlite', 'rotates');
  const { far, server } = world;
  const resolve = (name: string) => server.use(Credentials).resolve(server.scope, { name });

  t.test('one that is gone is told: status, event, message', async (t) => {
    await world.connect('gone');
    far.revokeAll();
    t.match(await drive(world, 'gone', ['needs_reauth']), { reason: /ended the grant: it answered invalid_grant/ });
    await t.rejects(resolve('gone'), { code: 'account_needs_reconnect', message: /needs_reauth since/ });
    const events = await until(async () => {
      const { json } = await world.call('member', 'GET {scoped}/events?type=svc.account.needs_reauth');
      return json.events.length > 0 ? json.events : undefined;
    });
    t.match(events, [{ type: 'svc.account.needs_reauth', source: 'account' }]);
    t.equal((await world.connect('gone')).status, 200);
    t.match(await resolve('gone'), { kind: 'bearer' });
  });

  t.test('a use of a token about to end waits for its renewal, and many share one', async (t) => {
    await world.connect('soon');
    await world.hurry('soon', 'expires_at = 1');
    far.presented.length = 0;
    const found = await Promise.all(Array.from({ length: 5 }, () => resolve('soon')));
    t.equal(new Set(found.map((one) => (one as { token: string }).token)).size, 1);
    t.equal(far.presented.length, 1);
  });

  t.test('one whose provider does not answer is not used with a token that ended', async (t) => {
    await world.connect('late');
    far.failures.push('busy');
    await world.hurry('late', 'expires_at = 1');
    await t.rejects(resolve('late'), { code: 'account_renewal_pending', message: /429/ });
    t.match(await drive(world, 'late', ['active']), { status: 'active' });
    t.match(await resolve('late'), { kind: 'bearer' });
  });

  t.test('without a refresh token people are warned, and it ends', async (t) => {
    far.refreshes = false;
    far.lifetime = 30 * 86400;
    t.match((await world.connect('short')).text, /will not be renewed/);
    t.match(await world.account('short'), { renewal: 'none' });
    await world.hurry('short');
    server.use(Wakeups).topic('accounts.changed');
    await until(async () => {
      const { json } = await world.call('member', 'GET {scoped}/events?type=svc.account.expiring');
      return json.events.length > 0 || undefined;
    });
    await world.hurry('short', 'expires_at = 1, due_at = 1');
    server.use(Wakeups).topic('accounts.changed');
    t.match(await drive(world, 'short', ['needs_reauth']), { reason: /sent no refresh token/ });
    far.refreshes = true;
    far.lifetime = undefined;
    await world.connect('timeless');
    t.match(await world.account('timeless'), { renewal: 'unknown_lifetime' });
    const [row] = await server
      .use(Database)
      .read<{ due_at: number | null }>("SELECT due_at FROM accounts_accounts WHERE name = 'timeless'");
    t.equal(row?.due_at, null, 'it is never renewed');
  });
});

t.test('@ACCT-022 @ACCT-023 a token is renewed before it ends', async (t) => {
  const at = (lifetime_ms: number | undefined, renewable = true) => firstDue({ from: 0, lifetime_ms, renewable }, 0.5);
  t.equal(at(undefined), null);
  t.equal(at(3600_000), 2_610_000);
  t.equal(at(1000), 1000);
  t.equal(at(30 * DAY, false), 23 * DAY);
  t.equal(at(3 * DAY, false), 2 * DAY);
  t.equal(at(1000, false), 1000);
  t.equal(nextWarning(30 * DAY, 23 * DAY), 29 * DAY);
  t.equal(nextWarning(30 * DAY, 29 * DAY), 30 * DAY);
  t.equal(pauseAfter(1, 0.5), 4000);
  t.equal(pauseAfter(30, 0.5), 600_000);
  t.equal(pauseAfter(0, 0, 5000), 5000);
});

t.test('the README shows the table that decides', async (t) => {
  const readme = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8');
  for (const [situation, keeps] of Object.entries(RENEWAL_TABLE.keeps)) {
    const key = situation as keyof typeof RENEWAL_TABLE.keeps;
    const cells = [keeps, RENEWAL_TABLE.rotates[key], RENEWAL_TABLE.rotates_and_revokes[key]].map(
      (one) => `\`${one}\``,
    );
    t.ok(readme.includes(`| \`${situation}\` | ${cells.join(' | ')} |`), situation);
  }
});
