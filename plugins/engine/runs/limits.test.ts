import t from 'tap';
import { Database, Ids } from '../../../kernel/contracts/index.ts';
import { Prunables } from '../../platform/retention/contract.ts';
import { Activities, type Claimed, type JournaledCall, type JournalRecord, RunEngine, RunStore } from './contract.ts';
import { bootEngine, checkRuns, type EngineServer, STORES, until } from '../../../test/kit/index.ts';

t.setTimeout(300_000);

const ENV = {
  SVC_RUN_LIMITS: 'log=1MiB,spawns=3',
  SVC_UNTRUSTED_RUN_LIMITS: 'log=4KiB,spawns=2',
  SVC_UNTRUSTED_PROJECT_LIMITS: 'runs=4,log=320KiB',
  SVC_UNTRUSTED_TIMEOUT: '5m',
};

const LIMITED = { SVC_RUN_LIMITS: 'calls=16KiB' };

const spawn = (position: number): JournaledCall => ({
  ...{ position, kind: 'spawn', name: '', ordinal: position, digest: '', started_at: 0 },
  args: { source: 'true', filename: 'a.sh' },
});

async function withServer(
  store: 'sqlite' | 'mysql',
  work: (server: EngineServer, runs: RunStore) => Promise<void>,
  env: Record<string, string> = ENV,
  more: { idle?: boolean } = {},
): Promise<void> {
  const server = await bootEngine({ ...more, store, env, plugins: ['children'] });
  try {
    await work(server, server.use(RunStore));
    t.same(await checkRuns(server.use(Database)), []);
  } finally {
    await server.close();
  }
}

/** Submits a run and claims it. */
async function begun(server: EngineServer, trusted: boolean): Promise<Claimed> {
  await server.use(RunEngine).submit(server.submit({ trusted }));
  return server.claim();
}

const text = async (server: EngineServer, run_id: string) =>
  (await server.use(RunEngine).logs(run_id, undefined, 1000)).map(({ stream, data }) => [stream, data.toString()]);

/** So many bytes as the chunk with this number. */
const block = (n: number, bytes: number) => ({
  ...{ n, stream: 'stdout' as const, at: 0 },
  data: Buffer.alloc(bytes, 'x').toString('base64'),
});

// @store: bounds are counted by statements.
for (const store of STORES) {
  t.test(`${store}: a run spawns as many runs as it may`, (t) =>
    withServer(store, async (server, runs) => {
      const stranger = await begun(server, false);
      for (const position of [0, 1]) await runs.perform(stranger, spawn(position));
      await t.rejects(runs.perform(stranger, spawn(2)), {
        code: 'spawn_limit',
        message: /has spawned 2 runs, which is the limit for an untrusted run/,
      });
      await server.agent.end(stranger);
      await server.agent.work();
      const trusted = await begun(server, true);
      for (const position of [0, 1, 2]) await runs.perform(trusted, spawn(position));
      await t.rejects(runs.perform(trusted, spawn(3)), { code: 'spawn_limit', message: /SVC_RUN_LIMITS/ });
      t.equal((await runs.perform(trusted, spawn(1))).exit_code, 0, 'a repeat is answered as before');
      await server.agent.end(trusted);
      await server.agent.work();
    }),
  );

  t.test(`${store}: untrusted runs start no more than a project may have of them`, (t) =>
    withServer(store, async (server, runs) => {
      const one = await begun(server, false);
      const other = await begun(server, false);
      await runs.perform(one, spawn(0));
      await runs.perform(other, spawn(0));
      await t.rejects(runs.perform(one, spawn(1)), {
        code: 'untrusted_run_limit',
        message: /4 open untrusted runs/,
      });
      const trusted = await begun(server, true);
      await runs.perform(trusted, spawn(0));
      await begun(server, false);
      t.pass('what comes from outside is taken all the same');
      const [left] = await server.agent.claim(1);
      await server.agent.end(left!);
      await server.agent.work();
      await server.agent.end(other);
      await runs.perform(one, spawn(1));
      t.pass('there is room again');
    }),
  );

  t.test(`${store}: what the calls of an untrusted run bring and print has a bound, and so have its children`, (t) => {
    const env = { SVC_UNTRUSTED_RUN_LIMITS: 'calls=8KiB,children=2' };
    const step = (position: number, bytes: number): JournalRecord => ({
      ...{ position, kind: 'step', name: `s${position}`, ordinal: 0, digest: '', started_at: 0 },
      ...{ exit_code: 0, output: Buffer.alloc(bytes).toString('base64') },
    });
    const cell = (position: number, bytes: number): JournaledCall => ({
      ...{ position, kind: 'state', name: 'set k', ordinal: 0, digest: '', started_at: 0 },
      args: { op: 'set', key: 'k', value: 'x'.repeat(bytes) },
    });
    const full = { code: 'run_storage_limit', message: /can store 8KiB .*SVC_UNTRUSTED_RUN_LIMITS/ };
    return withServer(
      store,
      async (server, runs) => {
        const stranger = await begun(server, false);
        const trusted = await begun(server, true);
        for (const claim of [stranger, trusted]) await runs.append(claim, step(0, 3000));
        await t.rejects(runs.append(stranger, step(1, 6000)), full);
        await runs.append(trusted, step(1, 6000));
        await runs.append(stranger, step(1, 1000));
        await runs.append(stranger, step(1, 1000));
        t.pass('a repeat counts once');
        await t.rejects(runs.perform(stranger, cell(2, 6000)), full);
        await runs.perform(stranger, cell(2, 1000));
        await runs.perform(trusted, cell(2, 60_000));
        const all = await Promise.allSettled([
          runs.append(stranger, step(3, 5000)),
          runs.append(trusted, step(3, 5000)),
        ]);
        t.same(
          all.map(({ status }) => status),
          ['rejected', 'fulfilled'],
          'one that is refused holds up no other',
        );
        const activities = server.use(Activities);
        const database = server.use(Database);
        const child = (claim: Claimed) =>
          database.transaction((tx) =>
            activities.add(tx, { ...server.scope, run_id: claim.run_id }, [
              {
                ...{ activity_id: server.use(Ids).next('act'), name: 'c', executor: 'script' },
                ...{ spec: null, requires: [], parent: claim.activity_id },
              },
            ]),
          );
        for (let n = 0; n < 2; n += 1) await child(stranger);
        await t.rejects(child(stranger), { code: 'run_storage_limit', message: /2 children/ });
        for (let n = 0; n < 4; n += 1) await child(trusted);
        for (const { run_id } of [stranger, trusted]) await runs.cancelRun({ ...server.scope, run_id, reason: 'over' });
        const waiting = await begun(server, false);
        const { run_id } = waiting;
        const wait = { ...cell(0, 0), kind: 'wait-signal', name: 'go', args: null };
        t.same(await runs.park(waiting, wait), { parked: true });
        await runs.sendSignal({ ...server.scope, run_id, name: 'go', payload: 'x'.repeat(20_000) });
        const woken = (await server.agent.claim()).find((one) => one.run_id === run_id)!;
        await t.rejects(runs.perform(woken, cell(1, 1)), full, 'what ended a wait counts, and is not refused');
        await runs.cancelRun({ ...server.scope, run_id, reason: 'over' });
      },
      env,
    );
  });

  t.test(
    `${store}: what the calls of untrusted runs bring and print counts for their project until they are removed`,
    (t) => {
      const MIB = 1024 * 1024;
      const STEP = 16 * 1024;
      const step = (position: number, bytes: number): JournalRecord => ({
        ...{ position, kind: 'step', name: `s${position}`, ordinal: 0, digest: '', started_at: 0 },
        ...{ exit_code: 0, output: Buffer.alloc(bytes).toString('base64') },
      });
      const full = {
        code: 'run_storage_limit',
        message: /untrusted runs can store 2MiB .*PROJECT_LIMITS/,
      };
      const env = { SVC_UNTRUSTED_PROJECT_LIMITS: 'calls=2MiB' };
      return withServer(
        store,
        async (server, runs) => {
          const database = server.use(Database);
          const taken = async () =>
            Number((await database.read<{ n: number | null }>('SELECT SUM(bytes) AS n FROM runs_call_usage'))[0]!.n);
          const over = async ({ run_id }: Claimed) => {
            await runs.cancelRun({ ...server.scope, run_id, reason: 'over' });
            t.same(await checkRuns(database), []);
          };
          const small = await begun(server, false);
          await runs.append(small, step(0, 60_000));
          t.equal(await taken(), 4 * STEP, 'little is taken in small steps, and none of it is free');
          await over(small);
          let kept = await taken();
          t.ok(kept > 60_000 && kept < 61_000, `${kept} bytes: a run that is over has taken what it has stored`);
          const first = await begun(server, false);
          await runs.append(first, step(0, 55 * STEP - 1000));
          t.equal(await taken(), kept + 55 * STEP);
          await runs.append(first, step(1, 60_000));
          t.equal(await taken(), kept + 110 * STEP, 'a run that has much takes as much again');
          await runs.append(first, step(2, 60_000));
          t.equal(await taken(), kept + 110 * STEP, 'it has more than it needs');
          const before = kept + 55 * STEP + 119_000;
          await over(first);
          kept = await taken();
          t.ok(kept > before && kept < before + 2000, 'its records are still there');

          const second = await begun(server, false);
          await runs.append(second, step(0, 55 * STEP - 1000));
          await t.rejects(runs.append(second, step(1, 200_000)), full);
          await t.rejects(
            runs.perform(second, {
              ...{ position: 1, kind: 'state', name: 'set k', ordinal: 0, digest: '', started_at: 0 },
              args: { op: 'set', key: 'k', value: 'x'.repeat(200_000) },
            }),
            full,
          );
          t.same(await checkRuns(database), [], 'what is refused takes nothing');
          t.equal(await taken(), kept + 55 * STEP);
          const trusted = await begun(server, true);
          await runs.append(trusted, step(0, MIB));
          await runs.append(trusted, step(1, MIB));
          t.equal(await taken(), kept + 55 * STEP, 'members share nothing with them');
          await over(trusted);
          await over(second);
          kept = await taken();

          const waiting = await begun(server, false);
          const { run_id } = waiting;
          const { exit_code: _, output: __, ...call } = step(0, 0);
          const wait = { ...call, kind: 'wait-signal', name: 'go', args: null };
          t.same(await runs.park(waiting, wait), { parked: true });
          t.equal(await taken(), kept + STEP);
          await runs.sendSignal({ ...server.scope, run_id, name: 'go', payload: 'x'.repeat(500_000) });
          t.equal(await taken(), kept + 31 * STEP, 'what ends a wait is never refused, and counts');
          const woken = (await server.agent.claim()).find((one) => one.run_id === run_id)!;
          await t.rejects(runs.append(woken, step(1, MIB)), full);
          await over(waiting);

          const records = server.use.all(Prunables).find(({ name }) => name === 'runs')!;
          for await (const _ of records.prune(database.now() + 60_000, 100));
          t.equal(await taken(), 0, 'all of it was given back');
          const again = await begun(server, false);
          await runs.append(again, step(0, MIB));
          await over(again);
        },
        env,
      );
    },
  );

  t.test(`${store}: an untrusted run has a timeout, and its own if it was given one`, (t) =>
    withServer(store, async (server) => {
      const { engine, scope } = { engine: server.use(RunEngine), scope: server.scope };
      const timeoutOf = async (more: object) => {
        const { run_id } = await engine.submit(server.submit(more));
        const { created_at, deadline } = await engine.read(scope, run_id);
        return deadline && Date.parse(deadline) - Date.parse(created_at);
      };
      t.equal(await timeoutOf({ trusted: false }), 300_000);
      t.equal(await timeoutOf({ trusted: false, timeout_ms: 60_000 }), 60_000);
      t.equal(await timeoutOf({ trusted: true }), undefined);
      const [{ n } = { n: 0 }] = await server
        .use(Database)
        .read<{ n: number }>('SELECT COUNT(*) AS n FROM runs_deadlines');
      t.equal(Number(n), 2);
    }),
  );

  t.test(`${store}: an untrusted run calls no more runs than it may have children`, (t) =>
    withServer(
      store,
      async (server, runs) => {
        const call = (position: number) => ({
          ...{ position, kind: 'call', name: `c${position}`, ordinal: 0, digest: '', started_at: 0 },
          args: { source: 'true', filename: 'a.sh' },
        });
        for (const trusted of [false, true]) {
          let claim = await begun(server, trusted);
          for (const position of [0, 1]) {
            t.same(await runs.park(claim, call(position)), { parked: true });
            await server.agent.work(1);
            claim = await until(() => server.agent.claim(1).then(([one]) => one), { what: 'the call to be over' });
          }
          const third = await runs.park(claim, call(2));
          if (trusted) t.same(third, { parked: true });
          else {
            t.match(third, { record: { exit_code: 1, message: /2 children and called runs/ } });
            await server.agent.end(claim);
          }
        }
      },
      { SVC_UNTRUSTED_RUN_LIMITS: 'children=2' },
      { idle: false },
    ),
  );

  t.test(`${store}: large outputs of an untrusted run count with what its calls print`, (t) =>
    withServer(
      store,
      async (server) => {
        const output = 'x'.repeat(100_000);
        for (const trusted of [false, true]) {
          const claim = await begun(server, trusted);
          await server.agent.end(claim, { status: 'succeeded', output });
          const { status, error } = await server.use(RunEngine).read(server.scope, claim.run_id);
          t.equal(status, trusted ? 'succeeded' : 'failed');
          t.equal(error?.code, trusted ? undefined : 'run_storage_limit');
        }
      },
      { SVC_UNTRUSTED_RUN_LIMITS: 'calls=8KiB' },
    ),
  );

  t.test(`${store}: what the service prints for an untrusted run counts, however often it prints it`, (t) =>
    withServer(
      store,
      async (server, runs) => {
        const state = (position: number, args: JournaledCall['args']): JournaledCall => ({
          ...{ position, kind: 'state', name: 'k', ordinal: position, digest: '', started_at: 0 },
          args,
        });
        for (const trusted of [false, true]) {
          const claim = await begun(server, trusted);
          await runs.perform(claim, state(0, { op: 'set', key: 'k', value: 'x'.repeat(10_000) }));
          let read = 0;
          const reads = async () => {
            for (; read < 20; read += 1) await runs.perform(claim, state(read + 1, { op: 'get', key: 'k' }));
          };
          if (trusted) await reads();
          else await t.rejects(reads(), { code: 'run_storage_limit' });
          t.equal(read, trusted ? 20 : 6, 'a read of 10 kB');
          await runs.cancelRun({ ...server.scope, run_id: claim.run_id, reason: 'over' });
        }
      },
      { SVC_UNTRUSTED_RUN_LIMITS: 'calls=64KiB' },
    ),
  );

  t.test(`${store}: what the calls of a trusted script record has a limit, because every claim reads it all`, (t) => {
    const step = (position: number, bytes: number): JournalRecord => ({
      ...{ position, kind: 'step', name: `s${position}`, ordinal: 0, digest: '', started_at: 0 },
      ...{ exit_code: 0, output: Buffer.alloc(bytes).toString('base64') },
    });
    const cell = (position: number, args: JournaledCall['args']): JournaledCall => ({
      ...{ position, kind: 'state', name: 'k', ordinal: 0, digest: '', started_at: 0 },
      args,
    });
    const full = { code: 'run_storage_limit', message: /16KiB of output in total .*SVC_RUN_LIMITS/ };
    return withServer(
      store,
      async (server, runs) => {
        const claim = await begun(server, true);
        await runs.append(claim, step(0, 6000));
        await runs.append(claim, step(1, 6000));
        await t.rejects(runs.append(claim, step(2, 6000)), full);
        await runs.append(claim, step(1, 6000));
        t.pass('a repeat of a recorded call is no new one');
        const together = await Promise.allSettled([runs.append(claim, step(2, 6000)), runs.append(claim, step(3, 10))]);
        t.same(
          together.map(({ status }) => status),
          ['rejected', 'rejected'],
          'a record after a rejected one would leave a gap',
        );
        await runs.append(claim, step(2, 1000));
        await t.rejects(runs.perform(claim, cell(3, { op: 'set', key: 'k', value: 'x'.repeat(6000) })), full);
        await runs.perform(claim, cell(3, { op: 'set', key: 'k', value: 'x' }));

        // Another server of the same database has not seen the claim.
        const other = await bootEngine({ database: server.database, env: LIMITED, plugins: ['children'] });
        try {
          await t.rejects(other.use(RunStore).append(claim, step(4, 6000)), full);
          await other.use(RunStore).append(claim, step(4, 1000));
        } finally {
          await other.close();
        }
      },
      LIMITED,
    );
  });

  t.test(`${store}: names, labels, notes, small outcomes and runs that it starts count for an untrusted run`, (t) => {
    const record = (position: number): JournalRecord => ({
      ...{ position, kind: 'step', name: `${position}`.padEnd(1000, 'n'), ordinal: 0, digest: '', started_at: 0 },
      ...{ label: 'l'.repeat(1000), exit_code: 0, output: '' },
    });
    const full = { code: 'run_storage_limit', message: /can store 32KiB / };
    return withServer(
      store,
      async (server, runs) => {
        /** How often something may be done, up to 20 times. */
        const often = async (trusted: boolean, act: (claim: Claimed, n: number) => Promise<Claimed | undefined>) => {
          let claim = await begun(server, trusted);
          const { run_id } = claim;
          let done = 0;
          const all = async () => {
            for (; done < 20; done += 1) claim = (await act(claim, done)) ?? claim;
          };
          if (trusted) await all();
          else await t.rejects(all(), full);
          await runs.cancelRun({ ...server.scope, run_id, reason: 'over' });
          while ((await server.agent.work()).length > 0);
          return done;
        };
        const acts: Record<string, [most: number, (claim: Claimed, n: number) => Promise<Claimed | undefined>]> = {
          'a record with a long name and label': [14, async (claim, n) => void (await runs.append(claim, record(n)))],
          'a note': [12, async (claim, n) => void (await runs.annotate(claim, n, 'x'.repeat(2150)))],
          'a signal of 2 kB': [
            15,
            async (claim, n) => {
              const { exit_code: _, output: __, ...call } = record(n);
              const wait = { ...call, kind: 'wait-signal', name: 'go', label: '', ordinal: n, args: null };
              t.same(await runs.park(claim, wait), { parked: true });
              const { run_id } = claim;
              await runs.sendSignal({ ...server.scope, run_id, name: 'go', payload: 'x'.repeat(2000) });
              return (await server.agent.claim()).find((one) => one.run_id === run_id)!;
            },
          ],
          'a spawned run': [3, async (claim, n) => void (await runs.perform(claim, spawn(n)))],
        };
        for (const [what, [most, act]] of Object.entries(acts)) {
          t.equal(await often(false, act), most, what);
          t.equal(await often(true, act), 20, what);
        }
        const noted = await begun(server, false);
        for (let pass = 0; pass < 20; pass += 1) await runs.annotate(noted, 0, 'x'.repeat(20_000));
        t.pass('a pass that writes a note again adds nothing');
        await server.agent.end(noted, { status: 'failed', code: 'e', message: 'm'.repeat(30_000) });
        const [{ n } = { n: 0 }] = await server
          .use(Database)
          .read<{ n: number }>('SELECT bytes AS n FROM runs_call_grants WHERE run_id = ?', [noted.run_id]);
        t.ok(Number(n) >= 50_000, 'why a run failed is kept, and counts');
      },
      { SVC_UNTRUSTED_RUN_LIMITS: 'calls=32KiB', SVC_UNTRUSTED_PROJECT_LIMITS: 'runs=off' },
    );
  });

  t.test(`${store}: what an untrusted run starts ends with its time, and a rerun of that has its own`, (t) =>
    withServer(store, async (server, runs) => {
      const { engine, scope } = { engine: server.use(RunEngine), scope: server.scope };
      const timeoutOf = async (run_id: string) => {
        const { created_at, deadline } = await engine.read(scope, run_id);
        return deadline === undefined ? undefined : Date.parse(deadline) - Date.parse(created_at);
      };
      const spawnedBy = async (claim: Claimed) =>
        Buffer.from((await runs.perform(claim, spawn(0))).output, 'base64')
          .toString()
          .trim();
      await engine.submit(server.submit({ trusted: false, timeout_ms: 60_000 }));
      const stranger = await server.claim();
      const child = await spawnedBy(stranger);
      t.ok((await timeoutOf(child))! <= 60_000);
      await server.agent.end(stranger);
      await server.agent.work();
      const { status, json } = await server.call('member', `POST ${server.scoped}/runs/${child}/rerun`, { all: true });
      t.equal(status, 201, JSON.stringify(json));
      t.equal(await timeoutOf(json.run_id as string), 300_000);
      await server.agent.work();
      const trusted = await begun(server, true);
      t.equal(await timeoutOf(await spawnedBy(trusted)), undefined);
      await server.agent.end(trusted);
      await server.agent.work();
    }),
  );

  t.test(`${store}: a log ends at the bound of its run, and the run goes on`, (t) =>
    withServer(store, async (server, runs) => {
      const stranger = await begun(server, false);
      await runs.appendLogs(stranger, [block(0, 1000), block(1, 1000)]);
      await runs.appendLogs(stranger, [block(2, 1000), block(3, 1000), block(4, 10)]);
      await runs.appendLogs(stranger, [block(4, 10), block(5, 1)]);
      const [first, second, third, last, ...more] = await text(server, stranger.run_id);
      t.match([first, second, third], [['stdout'], ['stdout'], ['stdout']]);
      t.same(last, [
        'system',
        'svc: the log ends here: it has reached 4KiB, the limit for the log of an untrusted run (SVC_UNTRUSTED_RUN_LIMITS). The run continues.\n',
      ]);
      t.same(more, []);
      await runs.perform(stranger, spawn(0));
      await server.agent.end(stranger);
      await server.agent.work();
      const trusted = await begun(server, true);
      await runs.appendLogs(trusted, [block(0, 60_000), block(1, 60_000)]);
      t.equal((await text(server, trusted.run_id)).length, 2);
      await server.agent.end(trusted);
    }),
  );

  t.test(`${store}: logs of untrusted runs share the bound of their project until they are removed`, (t) => {
    const env = { ...ENV, SVC_UNTRUSTED_RUN_LIMITS: 'log=1MiB' };
    return withServer(
      store,
      async (server, runs) => {
        const fill = async () => {
          const claim = await begun(server, false);
          for (let n = 0; n < 5; n += 1) await runs.appendLogs(claim, [block(n, 60_000)]);
          await server.agent.end(claim);
          return text(server, claim.run_id);
        };
        const whole = Array.from({ length: 5 }, () => ['stdout']);
        const database = server.use(Database);
        const used = async () =>
          Number((await database.read<{ n: number }>('SELECT SUM(bytes) AS n FROM runs_log_usage'))[0]!.n);
        t.match(await fill(), whole, 'the first run has room for all');
        t.ok((await used()) >= 300_000, 'and nothing of it is free');
        t.ok((await used()) < 310_000, 'nor does it keep what it has taken and not used');
        const second = await fill();
        t.match(second.at(-1), [
          'system',
          /the logs of untrusted runs of the project have reached 320KiB, their combined limit/,
        ]);
        const logs = server.use.all(Prunables).find(({ name }) => name === 'logs')!;
        for await (const _ of logs.prune(database.now() + 60_000, 100));
        t.equal(await used(), 0, 'all of it was given back');
        t.match(await fill(), whole);
        const records = server.use.all(Prunables).find(({ name }) => name === 'runs')!;
        for await (const _ of records.prune(database.now() + 60_000, 100));
        t.equal(await used(), 0, 'and with the runs');
      },
      env,
    );
  });
}
