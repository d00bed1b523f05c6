import { randomInt } from 'node:crypto';
import t from 'tap';
import { Database } from '../../../kernel/contracts/index.ts';
import { type EngineServer, STORES, testPlugin, withEngine } from '../../../test/kit/index.ts';
import { RunStore } from '../../engine/runs/contract.ts';
import { type AttentionItem, Attention } from './contract.ts';

const wait = (kind: string, name: string, args: object | null = null) => ({
  position: 0,
  kind,
  name,
  ordinal: 0,
  digest: '',
  args: args as never,
  started_at: 0,
});

const PLUGINS = ['summary', 'bus'];

const summaryOf = async (server: EngineServer, window = '7d', role = 'member') =>
  (await server.call(role, `GET ${server.scoped}/summary?window=${window}`)).json;

const submit = async (server: EngineServer, body: object = {}): Promise<string> =>
  (await server.call('member', `POST ${server.scoped}/runs`, { source: 'true', ...body })).json.run_id;

/** Runs of every status. */
async function makeRuns(server: EngineServer, count: number): Promise<void> {
  const store = server.use(RunStore);
  for (let n = 0; n < count; n++) await submit(server, { filename: `job-${n % 3}.sh` });
  const claims = await server.agent.claim(count - 5);
  for (const claim of claims) {
    const what = randomInt(5);
    if (what === 0) await store.complete(claim, { status: 'succeeded', output: null });
    if (what === 1) await store.complete(claim, { status: 'failed', code: 'script_failed', message: 'é'.repeat(500) });
    if (what === 2) await store.park(claim, wait('wait-signal', `go-${randomInt(3)}`));
    if (what === 3) await server.call('member', `POST ${server.scoped}/runs/${claim.run_id}/cancel`, {});
  }
}

/** Moves what happened apart in time, as if it had taken days. Times of the log never decrease. */
async function spread(database: Database, span_ms: number): Promise<void> {
  const rows = await database.read<{ seq: number; type: string; source_name: string }>(
    "SELECT seq, type, source_name FROM bus_events WHERE project_id = 'prj_1' ORDER BY seq",
  );
  const now = database.now();
  for (const [n, { seq, type, source_name }] of rows.entries()) {
    const at = Math.floor(now - span_ms + (span_ms * n) / rows.length);
    await database.write("UPDATE bus_events SET recorded_at = ? WHERE project_id = 'prj_1' AND seq = ?", [at, seq]);
    const column = type === 'run.started' ? 'started_at' : type.startsWith('run.') ? 'finished_at' : undefined;
    if (column) await database.write(`UPDATE runs_runs SET ${column} = ? WHERE run_id = ?`, [at, source_name]);
  }
}

const counted = async (database: Database, where: string, params: (string | number)[] = []): Promise<number> =>
  Number(
    (
      await database.read<{ n: number }>(
        `SELECT COUNT(*) AS n FROM runs_runs WHERE project_id = 'prj_1' AND ${where}`,
        params,
      )
    )[0]!.n,
  );

// @store: the figures are counted by statements.
for (const store of STORES) {
  t.test(`${store}: the figures are those of a plain count`, (t) =>
    withEngine({ store, plugins: PLUGINS }, async (server) => {
      const database = server.use(Database);
      await makeRuns(server, 80);
      await spread(database, 9 * 24 * 3_600_000);
      for (const window of ['1h', '24h', '7d']) {
        const summary = await summaryOf(server, window);
        const since = Date.parse(summary.since);
        for (const status of ['queued', 'running', 'waiting'])
          t.equal(summary.runs[status], await counted(database, 'status = ?', [status]), `${status} now`);
        for (const status of ['succeeded', 'failed', 'cancelled']) {
          const wanted = await counted(database, 'status = ? AND finished_at >= ?', [status, since]);
          t.equal(summary.runs[status], wanted, `${status} in ${window}`);
          for (const bucket of summary.series) {
            const from = Date.parse(bucket.at);
            const here = [status, from, from + summary.bucket_ms];
            const n = await counted(database, 'status = ? AND finished_at >= ? AND finished_at < ?', here);
            if (bucket[status] !== n) t.equal(bucket[status], n, `${status} at ${bucket.at}`);
          }
        }
        const started = summary.series.reduce((sum: number, one: { started: number }) => sum + one.started, 0);
        t.equal(started, await counted(database, 'started_at >= ?', [since]));
        const { succeeded, failed, cancelled } = summary.runs;
        const ended = succeeded + failed + cancelled;
        t.equal(summary.failure_rate, ended === 0 ? 0 : Math.round((failed / ended) * 1000) / 1000);
        t.ok(summary.series.length <= 60);
      }
    }),
  );

  t.test(`${store}: what waits, since when and for what; what failed last`, (t) =>
    withEngine({ store, plugins: PLUGINS }, async (server) => {
      await makeRuns(server, 60);
      const database = server.use(Database);
      const summary = await summaryOf(server);
      const armed = await database.read<{ name: string; n: number }>(
        "SELECT name, COUNT(*) AS n FROM runs_waits WHERE state = 'armed' GROUP BY name",
      );
      const wanted = armed.map(({ name, n }) => ({ kind: 'signal', name, count: Number(n) }));
      const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name);
      t.same(summary.waits.groups.toSorted(byName), wanted.toSorted(byName));
      t.equal(summary.waits.complete, true);
      const oldest = await database.read<{ run_id: string }>(
        "SELECT run_id FROM runs_waits WHERE state = 'armed' ORDER BY armed_at, run_id LIMIT 10",
      );
      const sinces = summary.waits.oldest.map(({ since }: { since: string }) => since);
      t.same(sinces, sinces.toSorted(), 'the oldest first');
      t.equal(summary.waits.oldest.length, Math.min(10, oldest.length));
      const failed = await database.read<{ run_id: string }>(
        "SELECT run_id FROM runs_runs WHERE status = 'failed' ORDER BY finished_at DESC, run_id DESC LIMIT 10",
      );
      t.same(
        new Set(summary.failures.map(({ run_id }: { run_id: string }) => run_id)),
        new Set(failed.map(({ run_id }) => run_id)),
      );
      for (const failure of summary.failures) {
        t.match(failure, { code: 'script_failed', message: /^é{199}…$/, finished_at: /Z$/ });
        t.equal([...failure.message].length, 200);
      }
      t.same(summary.agents, { connected: 0, slots: 0, free: 0 });
    }),
  );

  t.test(`${store}: trials are not counted`, (t) =>
    withEngine({ store, plugins: PLUGINS }, async (server) => {
      const runs = server.use(RunStore);
      const real = await submit(server, { filename: 'real.sh' });
      for (let n = 0; n < 3; n++) await submit(server, { filename: 'try.sh', tags: ['trial'] });
      for (const claim of await server.agent.claim(4)) {
        const status = claim.run_id === real ? 'succeeded' : 'failed';
        if (status === 'succeeded') await runs.complete(claim, { status, output: null });
        else await runs.complete(claim, { status, code: 'script_failed', message: 'only tried' });
      }
      const summary = await summaryOf(server);
      t.match(summary, { failure_rate: 0, failures: [], runs: { succeeded: 1, failed: 0 } });
      const sums = summary.series.reduce(
        (sum: number, one: { started: number; failed: number }) => sum + one.started + one.failed,
        0,
      );
      t.equal(sums, 1, 'one start, and no failure');
    }),
  );

  t.test(`${store}: nothing of another project is counted, and an empty one has zeros`, (t) =>
    withEngine({ store, plugins: PLUGINS }, async (server) => {
      await makeRuns(server, 20);
      const { json } = await server.call('viewer', `GET ${server.scoped.replace('/main', '/other')}/summary`);
      t.same(json.runs, { queued: 0, running: 0, waiting: 0, succeeded: 0, failed: 0, cancelled: 0 });
      t.match(json, { window: '24h', throughput: 0, failure_rate: 0, failures: [], waits: { groups: [], oldest: [] } });
      t.equal(json.series.length, 48);
    }),
  );

  t.test(`${store}: agents that are there, their slots and those that are free`, (t) =>
    withEngine({ store, plugins: PLUGINS }, async (server) => {
      const database = server.use(Database);
      const insert = (agent_id: string, org_id: string, state: string, seen: number) =>
        database.write(
          `INSERT INTO agents_agents (agent_id, org_id, token_id, instance, name, os, arch, capabilities, slots, version,
           pid, server, session_id, state, first_seen_at, connected_at, last_seen_at)
           VALUES (?, ?, ?, ?, 'a', 'linux', 'x64', '[]', 4, '1', 1, 's', ?, ?, 1, 1, ?)`,
          [agent_id, org_id, agent_id, agent_id, agent_id, state, seen],
        );
      const now = database.now();
      await insert('agt_1', 'org_1', 'online', now);
      await insert('agt_2', 'org_1', 'online', now);
      await insert('agt_gone', 'org_1', 'offline', now);
      await insert('agt_killed', 'org_1', 'online', now - 60_000);
      await insert('agt_theirs', 'org_2', 'online', now);
      for (let n = 0; n < 3; n++) await submit(server);
      await server.agent.claim(3);
      t.same((await summaryOf(server)).agents, { connected: 2, slots: 8, free: 5 });
    }),
  );
}

t.test('a window that there is none of is refused, and so is who may not look', async (t) =>
  withEngine({ plugins: PLUGINS }, async (server) => {
    for (const window of ['2h', '', '1H', '7d ', 'toString', '24h&window=9d'])
      t.match(await server.call('viewer', `GET ${server.scoped}/summary?window=${encodeURIComponent(window)}`), {
        status: 400,
        json: { code: 'invalid_request', errors: [{ pointer: '/query/window' }] },
      });
    t.equal((await server.call('nobody', `GET ${server.scoped}/summary`)).status, 401);
    t.equal((await server.call('viewer', `GET ${server.scoped.replace('main', 'absent')}/summary`)).status, 404);
  }),
);

t.test('what needs somebody is for those who may see it, and many who look ask once', async (t) => {
  let asked = 0;
  const item: AttentionItem = { kind: 'account', name: 'mail', state: 'needs_reauth', detail: 'it was revoked' };
  const needy = testPlugin(
    'needy',
    (plugin) =>
      plugin.contribute(Attention, () => ({
        name: 'needy',
        access: { kind: 'project', role: 'member' } as const,
        async list() {
          asked += 1;
          return [item];
        },
      })),
    { requires: ['summary'] },
  );
  await withEngine({ plugins: [...PLUGINS, needy] }, async (server) => {
    const all = await Promise.all(Array.from({ length: 50 }, () => summaryOf(server)));
    t.ok(all.every(({ attention }) => attention.length === 1 && attention[0].name === 'mail'));
    t.equal(asked, 1);
    t.notOk('attention' in (await summaryOf(server, '7d', 'viewer')), 'absent, which is not the same as none');
    server.clock.advance(6000);
    await summaryOf(server);
    t.equal(asked, 2);
  });
});
