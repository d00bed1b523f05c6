import t from 'tap';
import { Database } from '../../../kernel/contracts/index.ts';
import { type Claimed, RunEngine, RunStore, type ToldCall, UnderWay } from '../../engine/runs/contract.ts';
import {
  bootEngine,
  type EngineOptions,
  type EngineServer,
  openTestDatabase,
  STORES,
  until,
  withEngine,
} from '../../../test/kit/index.ts';

// tap ends a whole file after 30 s unless told otherwise.
t.setTimeout(600_000);

/** As the kit claims. */
const LEASE_MS = 600_000;
const AGENT = { agent_id: 'agt_one', name: 'builder-1' };
const refOf = ({ activity_id, epoch }: Claimed) => ({ activity_id, epoch });

const callOf = (claimed: Claimed, call: Partial<NonNullable<ToldCall['call']>> = {}): ToldCall => ({
  claim: refOf(claimed),
  call: { kind: 'step', name: 'slow', ordinal: 0, position: 0, for_ms: 400, ...call },
});

const record = (position: number) => ({
  ...{ position, kind: 'step', name: 'slow', ordinal: position, digest: '' },
  ...{ exit_code: 0, output: '', started_at: 1 },
});

const options = (more: EngineOptions): EngineOptions => ({ ...more, settings: { lease_ms: LEASE_MS } });

/** The views of one server. */
const viewsOf = (server: EngineServer) => {
  const path = `GET ${server.scoped}/runs`;
  return {
    calls: server.use(UnderWay),
    steps: async (run_id: string) => (await server.call('viewer', `${path}/${run_id}/steps?limit=200`)).json.steps,
    run: async (run_id: string) => (await server.call('viewer', `${path}/${run_id}`)).json,
    count: async () => {
      const { text } = await server.call(undefined, 'GET /metrics');
      return Number(/^svc_runs_calls_under_way (\d+)$/m.exec(text)![1]);
    },
  };
};

for (const store of STORES)
  t.test(store, async (t) => {
    await t.test('a call under way is a step and stands in the record of its run, until it is recorded', (t) =>
      withEngine(options({ store }), async (server) => {
        const { use, submit, claim } = server;
        const { calls, steps, run, count } = viewsOf(server);
        const runs = use(RunStore);
        const { run_id } = await use(RunEngine).submit(submit());
        const claimed = await claim();
        t.same(await steps(run_id), []);
        t.equal((await run(run_id)).running, undefined);
        await calls.tell(AGENT, [callOf(claimed, { attempt: 1, attempts: 3 })]);
        const [step] = await steps(run_id);
        t.match(step, { site: 'slow#0', status: 'running', position: 0, activity: claimed.name });
        t.match(step!.running, { agent: 'builder-1', agent_id: 'agt_one', attempt: 1, max_attempts: 3 });
        const age = Date.now() - Date.parse(step!.running!.since);
        t.ok(age >= 300 && age < 60_000, `for ${age} ms`);
        t.match((await run(run_id)).running, [{ site: 'slow#0', kind: 'step', agent: 'builder-1', attempt: 1 }]);
        await runs.append(refOf(claimed), record(0));
        t.match(await steps(run_id), [{ site: 'slow#0', status: 'recorded', running: undefined }]);
        t.equal((await run(run_id)).running, undefined, 'although its end was not told yet');
        await calls.tell(AGENT, [{ claim: refOf(claimed) }]);
        t.equal(await count(), 0);
      }),
    );

    await t.test('the record of an open run says when the agents of its claims were heard of', (t) =>
      withEngine(options({ store }), async (server) => {
        const { use, submit, claim } = server;
        const { run } = viewsOf(server);
        const database = use(Database);
        const { run_id } = await use(RunEngine).submit(submit());
        t.equal((await run(run_id)).claims, undefined, 'it is queued');
        const claimed = await claim();
        const [held, ...others] = (await run(run_id)).claims!;
        t.match(held, { activity_id: claimed.activity_id, activity: claimed.name, agent_id: /^agt_/ });
        t.same(others, []);
        t.equal(Date.parse(held!.ends_at) - Date.parse(held!.last_sign_at), LEASE_MS);
        await database.write('UPDATE runs_activities SET deadline = deadline - 12000 WHERE run_id = ?', [run_id]);
        const [silent] = (await run(run_id)).claims!;
        t.ok(silent!.silent_ms >= 12_000 && silent!.silent_ms > held!.silent_ms, `${silent!.silent_ms}`);
        await use(RunStore).release(refOf(claimed));
        t.same((await run(run_id)).claims, [], 'nobody holds it');
      }),
    );

    await t.test('what was told of another claim, or of work without a place, is no step', (t) =>
      withEngine(options({ store }), async (server) => {
        const { use, submit, claim } = server;
        const { calls, steps, run, count } = viewsOf(server);
        const runs = use(RunStore);
        const { run_id } = await use(RunEngine).submit(submit());
        const first = await claim();
        await calls.tell(AGENT, [callOf(first)]);
        await runs.release(refOf(first));
        t.same(await steps(run_id), [], 'nobody holds it');
        const second = await claim();
        t.same(await steps(run_id), [], 'another agent holds it');
        await calls.tell(AGENT, [callOf(second, { position: undefined })]);
        await calls.tell(AGENT, [callOf(first)]);
        t.match((await run(run_id)).running, [{ site: 'slow#0' }], 'an old claim changes nothing');
        t.same(await steps(run_id), []);
        calls.forget([refOf(first)]);
        t.equal(await count(), 1);
        calls.forget([refOf(second)]);
        t.equal((await run(run_id)).running, undefined);
      }),
    );

    await t.test('an attempt that has failed is not under way, and the next one is', (t) =>
      withEngine(options({ store }), async (server) => {
        const { use, submit, claim } = server;
        const { calls, steps } = viewsOf(server);
        const runs = use(RunStore);
        const { run_id } = await use(RunEngine).submit(submit());
        const claimed = await claim();
        await calls.tell(AGENT, [callOf(claimed, { attempt: 1, attempts: 3 })]);
        const { exit_code: _, output: __, ...site } = record(0);
        const failed = { exit_code: 1, output: '', attempt: 1, attempts: 3, pause_ms: 0, park: false };
        await runs.attempt(refOf(claimed), { ...site, ...failed });
        t.match(await steps(run_id), [{ status: 'retrying', running: undefined }]);
        await calls.tell(AGENT, [callOf(claimed, { attempt: 2, attempts: 3 })]);
        t.match(await steps(run_id), [{ status: 'retrying', running: { attempt: 2 }, attempts: [{ attempt: 1 }] }]);
      }),
    );

    await t.test('what lasts is written once: another server shows it, until it is over', async (t) => {
      const database = await openTestDatabase(store);
      t.teardown(() => database.drop());
      // The first one writes what lasts; without background work it would not.
      const first = await bootEngine(options({ database, idle: false }));
      const second = await bootEngine(options({ database }));
      try {
        const { use, submit, claim } = first;
        const [one, other] = [viewsOf(first), viewsOf(second)];
        const runs = use(RunStore);
        const { run_id } = await use(RunEngine).submit(submit());
        const claimed = await claim();
        await one.calls.tell(AGENT, [callOf(claimed, { for_ms: 5000 })]);
        t.same(await other.steps(run_id), [], 'not yet');
        await one.calls.tell(AGENT, [callOf(claimed, { for_ms: 11_000, label: 'a label', attempt: 2, attempts: 4 })]);
        const shown = await until(async () => (await other.steps(run_id))[0]);
        t.match(shown, {
          ...{ site: 'slow#0', status: 'running', label: 'a label' },
          running: { agent: 'builder-1', attempt: 2, max_attempts: 4 },
        });
        t.same((await one.steps(run_id))[0], shown, 'both tell the same');
        await runs.append(refOf(claimed), record(0));
        t.match(await other.steps(run_id), [{ status: 'recorded', running: undefined }]);
        await one.calls.tell(AGENT, [{ claim: refOf(claimed) }]);
        const rows = () => use(Database).read('SELECT 1 AS one FROM runs_under_way');
        t.ok(await until(async () => (await rows()).length === 0 || undefined), 'its row is gone');
        await one.calls.tell(AGENT, [callOf(claimed, { position: undefined, for_ms: 11_000 })]);
        await until(async () => (await other.run(run_id)).running);
        await runs.release(refOf(claimed));
        t.equal((await other.run(run_id)).running, undefined, 'nothing is shown of a claim that is over');
      } finally {
        await first.close();
        await second.close();
      }
    });
  });
