import t from 'tap';
import { Clock, Database, Ids, Log, Metrics, Sealer } from '../../../kernel/contracts/index.ts';
import { alteredDatabase, boot, SCOPE, STORES } from '../../../test/kit/index.ts';
import type { NewEvent } from '../../events/bus/contract.ts';
import type { Provider, Providers, TokenOutcome } from '../providers/contract.ts';
import { AccountLoop } from './service/loop.ts';
import { Renewer } from './service/renewer.ts';
import { sealTokens } from './service/token-box.ts';
import { accounts } from './store/accounts.ts';
import { PLUGINS } from './testing/world.ts';

const DAY = 86_400_000;
const START = Date.parse('2026-11-21T10:00:00Z');
const ACCOUNTS = 200;
const SERVERS = 3;
const LIFETIME = 14 * DAY;
const MONTHS = 90 * DAY;

/** Keeps one good token for each account, and counts what must not happen. */
class StrictProvider {
  readonly good = new Map<string, number>();
  readonly renewed = new Map<string, number>();
  readonly #under_way = new Set<string>();
  at_once = 0;
  stale = 0;
  #turn = 0;

  /** Every seventh time it is busy: nothing is decided then. */
  async renew(token: string, before: () => void): Promise<TokenOutcome> {
    before();
    const [name = '', count = ''] = token.split('/');
    if (this.#under_way.has(name)) this.at_once += 1;
    this.#under_way.add(name);
    await new Promise((resolve) => setImmediate(resolve));
    this.#under_way.delete(name);
    this.#turn += 1;
    if (this.#turn % 7 === 0) return { outcome: 'later', why: 'it answered 429', after_ms: 3_600_000 };
    if (this.good.get(name) !== Number(count)) this.stale += 1;
    this.good.set(name, Number(count) + 1);
    this.renewed.set(name, (this.renewed.get(name) ?? 0) + 1);
    const refresh_token = `${name}/${Number(count) + 1}`;
    return { outcome: 'granted', tokens: { access_token: 'at', refresh_token, lifetime_ms: LIFETIME } };
  }
}

for (const store of STORES)
  t.test(`${store}: ${ACCOUNTS} accounts, ${SERVERS} servers, three months`, { timeout: 600_000 }, async (t) => {
    const server = await boot({ store, plugins: PLUGINS, idle: true });
    t.teardown(() => server.close());
    const { use } = server;
    let now = START;
    const real = use(Database);
    const database = alteredDatabase(real, { now: () => now });
    const far = new StrictProvider();
    const provider = {
      capabilities: { rotates_refresh_token: true, reuse_revokes_family: true },
      assumed_lifetime_ms: undefined,
      renew: (token: string, before: () => void) => far.renew(token, before),
    } as unknown as Provider;
    const providers = { find: () => provider } as unknown as Providers;
    const [sealer, ids, clock, log] = [use(Sealer), use(Ids), use(Clock), use(Log)];
    const events: NewEvent[] = [];
    const audit = { record: async () => undefined };
    const loops = Array.from({ length: SERVERS }, () => {
      const parts = { database, sealer, ids, clock, log, audit, providers, changed: () => undefined };
      const renewer = new Renewer({ ...parts, metrics: use(Metrics) });
      const bus = { record: async (_tx: unknown, list: readonly NewEvent[]) => (events.push(...list), []) };
      return new AccountLoop({ ...parts, renewer, bus, wakeups: { onTopic: () => () => undefined } });
    });
    const { org_id, project_id } = SCOPE;
    await sealer.prepare(org_id);
    await real.transaction(async (tx) => {
      for (let i = 0; i < ACCOUNTS; i++) {
        const name = `a${i}`;
        const account_id = `acc_${i}`;
        far.good.set(name, 0);
        const due_at = START + Math.round((LIFETIME * i) / ACCOUNTS / 2);
        await accounts.insert(tx, {
          org_id,
          project_id,
          name,
          account_id,
          provider: 'far',
          far_id: name,
          far_label: name,
          status: 'active',
          status_at: START,
          reason: null,
          granter_id: 'usr_1',
          granter: 'ana',
          scopes_asked: '[]',
          scopes: '[]',
          granted_at: START,
          renewed_at: null,
          expires_at: START + LIFETIME,
          renewable: 1,
          epoch: 1,
          due_at,
          failures: 0,
          last_error: null,
          client_grant: null,
          tokens: sealTokens(
            sealer,
            { org_id, project_id, account_id, epoch: 1 },
            { access_token: 'at', refresh_token: `${name}/0` },
          ),
        });
      }
    });
    let expired = 0;
    while (now < START + MONTHS) {
      const rounds = await Promise.all(loops.map((loop) => loop.runOnce()));
      for (const { failure } of rounds) if (failure !== undefined) throw failure;
      if (rounds.some(({ processed }) => processed > 0)) continue;
      const [late] = await real.read<{ n: number }>(
        'SELECT COUNT(*) AS n FROM accounts_accounts WHERE expires_at <= ?',
        [now],
      );
      expired += Number(late!.n);
      // Many that are due within the same hours, so that the servers meet.
      now += 6 * 3_600_000;
    }
    t.equal(far.at_once, 0, 'no account was renewed twice at once');
    t.equal(far.stale, 0, 'no token was presented that had been replaced');
    t.equal(expired, 0, 'no token ended before it was renewed');
    t.equal(far.renewed.size, ACCOUNTS, 'none was missed');
    const least = Math.floor(MONTHS / LIFETIME);
    t.ok(Math.min(...far.renewed.values()) >= least, `each at least ${least} times`);
    t.same(events, [], 'nobody had to be told of anything');
    const rows = await real.read<{ status: string }>("SELECT status FROM accounts_accounts WHERE status <> 'active'");
    t.same(rows, []);
  });
