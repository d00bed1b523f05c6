import t from 'tap';
import { Database } from '../../../kernel/contracts/index.ts';
import {
  type ArmWait,
  type Claimed,
  type Json,
  RunCoordinators,
  type RunCoordinator,
  RunEngine,
  RunStore,
  type WorkflowKind,
} from '../../engine/runs/contract.ts';
import {
  bootEngine,
  checkRuns,
  type EngineServer,
  openTestDatabase,
  StandInAgent,
  STORES,
  testPlugin,
  until,
} from '../../../test/kit/index.ts';

t.setTimeout(600_000);

/** Nodes: `work` needs an agent, `now` puts out its config at once, any other is refused. */
const node: WorkflowKind = {
  kind: 'node',
  type: 'svc-test-node/v1',
  marks: {},
  references: ['node'],
  takes_credentials: false,
  replays: false,
  resolve: async (_on, _scope, { node: type, config = {} }) => ({ source: JSON.stringify({ type, config }) }),
  check: async (_scope, { source }) =>
    ['work', 'now'].includes((JSON.parse(source) as { type: string }).type)
      ? []
      : [{ line: 1, column: 1, message: 'there is no such node', code: 'node_unknown' }],
  async plan(_on, _scope, { source }) {
    const { type, config } = JSON.parse(source) as { type: string; config: Json };
    if (type === 'work') return { activities: [{ name: 'work', executor: 'script', spec: config, requires: [] }] };
    return { activities: [], coordination: { by: 'at-once', plan: config } };
  },
};

const results = new Map<string, Json>();
const atOnce: RunCoordinator = {
  name: 'at-once',
  begin: async (_tx, { run_id }, plan) => void results.set(run_id, plan as Json),
  ended: async () => undefined,
  ending: async (_tx, { run_id }) => ({ status: 'succeeded', output: results.get(run_id)! }),
  over: async () => undefined,
};

const coordinators = testPlugin('at-once', (plugin) => plugin.contribute(RunCoordinators, () => atOnce), {
  requires: ['runs'],
});

/** Background work on: calls are told by it. */
const options = { kinds: [node], plugins: ['children', coordinators], idle: false };

async function withServer(store: 'sqlite' | 'mysql', work: (server: EngineServer) => Promise<void>): Promise<void> {
  const server = await bootEngine({ ...options, store });
  try {
    await work(server);
    t.same(await checkRuns(server.use(Database)), []);
  } finally {
    await server.close();
  }
}

const call = (position: number, args: Json, more: Partial<ArmWait> = {}): ArmWait => ({
  ...{ position, kind: 'call', name: 'node work', ordinal: position, digest: '', args, started_at: 0 },
  ...more,
});

/** `svc spawn` as the first call of a script. */
const spawned = {
  ...{ position: 0, kind: 'spawn', name: '', ordinal: 0, digest: '', started_at: 0 },
  args: { source: 'true', filename: 'a.sh' },
};

async function script(server: EngineServer, body: object = {}): Promise<Claimed> {
  await server.call('member', `POST ${server.scoped}/runs`, { source: 'true', ...body });
  return claimed(server);
}

const claimed = (server: EngineServer): Promise<Claimed> =>
  until(() => server.agent.claim(1).then(([one]) => one), { what: 'work to claim' });

const read = async (server: EngineServer, run_id: string) =>
  (await server.call('viewer', `GET ${server.scoped}/runs/${run_id}`)).json;

const steps = async (server: EngineServer, run_id: string) =>
  (await server.call('viewer', `GET ${server.scoped}/runs/${run_id}/steps`)).json.steps;

for (const store of STORES) {
  t.test(`${store}: a call parks until its run is over, and prints its output`, (t) =>
    withServer(store, async (server) => {
      const engine = server.use(RunStore);
      const caller = await script(server, { subject: 'acme/site' });
      t.same(await engine.park(caller, call(0, { node: 'work', config: { a: 1 }, input: [1] })), { parked: true });
      t.same(await engine.park(caller, call(0, { node: 'work' })), { parked: true }, 'a repeat makes no second run');
      const child = await claimed(server);
      t.match(await read(server, child.run_id), {
        ...{ kind: 'node', parent: caller.run_id, subject: 'acme/site', trusted: true, generation: 0 },
        trigger: { type: 'spawn', parent: caller.run_id },
      });
      t.match(child.envelope, { type: 'spawn', input: [1], parent: caller.run_id });
      t.match(await read(server, caller.run_id), {
        status: 'waiting',
        substate: { kind: 'child', name: 'node work', run_id: child.run_id },
      });
      t.match(await steps(server, caller.run_id), [
        { kind: 'call', status: 'waiting', run: { run_id: child.run_id, status: 'running' } },
      ]);
      await server.agent.end(child, { status: 'succeeded', output: { made: true } });
      const again = await claimed(server);
      t.equal(again.run_id, caller.run_id);
      t.match(again.journal, [{ kind: 'call', exit_code: 0 }]);
      t.equal(Buffer.from(again.journal[0]!.output, 'base64').toString(), '{"made":true}\n');
      t.match(await steps(server, caller.run_id), [{ status: 'recorded', run: { status: 'succeeded' } }]);
      await server.agent.end(again);
    }),
  );

  t.test(`${store}: a run that ends in the transaction that makes it parks nobody`, (t) =>
    withServer(store, async (server) => {
      const caller = await script(server);
      const answer = await server.use(RunStore).park(caller, call(0, { node: 'now', config: { b: 2 } }));
      t.match(answer, { record: { exit_code: 0, output: Buffer.from('{"b":2}\n').toString('base64') } });
      t.match(await read(server, caller.run_id), { status: 'running' });
      t.match(await steps(server, caller.run_id), [{ status: 'recorded', run: { status: 'succeeded' } }]);
      await server.agent.end(caller);
    }),
  );

  t.test(`${store}: what fails or is cancelled exits 1 and says why`, (t) =>
    withServer(store, async (server) => {
      const engine = server.use(RunStore);
      let caller = await script(server);
      await engine.park(caller, call(0, { node: 'work' }));
      const failing = await claimed(server);
      await server.agent.end(failing, { status: 'failed', code: 'broken', message: 'no disk' });
      caller = await claimed(server);
      t.match(caller.journal.at(-1), {
        exit_code: 1,
        output: '',
        message: `the run ${failing.run_id} failed: no disk (broken)`,
      });
      await engine.park(caller, call(1, { node: 'work' }));
      const { run_id } = await claimed(server);
      await server.call('member', `POST ${server.scoped}/runs/${run_id}/cancel`, { reason: 'enough' });
      caller = await claimed(server);
      t.match(caller.journal.at(-1), { exit_code: 1, message: `the run ${run_id} was cancelled: enough` });
      await server.agent.end(caller);
    }),
  );

  t.test(`${store}: a call that makes no run is refused`, (t) =>
    withServer(store, async (server) => {
      const engine = server.use(RunStore);
      const caller = await script(server);
      const refused = (args: Json, code: string) =>
        t.rejects(engine.park(caller, call(0, args)), { code }, JSON.stringify(args));
      await refused({ node: 'other' }, 'workflow_invalid');
      await refused({ node: 'work', config: 7 }, 'invalid_request');
      await refused({ node: 'work', graph: 'g' }, 'invalid_request');
      await refused({ node: 'work', env: {} }, 'invalid_request');
      await refused({}, 'invalid_request');
      await refused(null, 'invalid_request');
      t.equal((await server.call('viewer', `GET ${server.scoped}/runs`)).json.runs.length, 1);
      await server.agent.end(caller);
    }),
  );

  t.test(`${store}: a cancel of the caller goes down, and trust is inherited`, (t) =>
    withServer(store, async (server) => {
      const engine = server.use(RunStore);
      const caller = await script(server);
      await engine.park(caller, call(0, { node: 'work' }));
      const child = await claimed(server);
      // The called run calls another one itself.
      await engine.park(child, call(0, { node: 'work' }));
      const grandchild = await claimed(server);
      await server.call('member', `POST ${server.scoped}/runs/${caller.run_id}/cancel`, { reason: 'enough' });
      for (const { run_id } of [child, grandchild])
        await until(async () => (await read(server, run_id)).status === 'cancelled', {
          what: `${run_id} to be cancelled`,
        });
      t.match(await read(server, child.run_id), {
        reason: `the run ${caller.run_id}, which called it, is no longer waiting for it`,
      });
    }),
  );

  t.test(`${store}: a wait that ends by its time cancels what it called`, (t) =>
    withServer(store, async (server) => {
      const caller = await script(server);
      await server.use(RunStore).park(caller, call(0, { node: 'work' }, { timeout_ms: 20 }));
      // The time may be over before an agent takes the called run, which is then cancelled while it is queued.
      const { runs } = (await server.call('viewer', `GET ${server.scoped}/runs`)).json;
      const child = runs.find(({ run_id }: { run_id: string }) => run_id !== caller.run_id);
      const first = await claimed(server);
      const again = first.run_id === caller.run_id ? first : await claimed(server);
      t.match(again.journal, [{ exit_code: 124, message: /node work did not end/ }]);
      await until(async () => (await read(server, child.run_id)).status === 'cancelled');
      await server.agent.end(again);
    }),
  );

  t.test(`${store}: runs that spawn or call runs come to an end`, (t) =>
    withServer(store, async (server) => {
      const engine = server.use(RunStore);
      const spawn = (claim: Claimed) => engine.perform(claim, spawned);
      let caller = await script(server);
      for (let depth = 1; depth <= 16; depth++) {
        // Calls are counted too, so that the two do not make twice as many.
        const calls = depth === 16;
        await (calls ? engine.park(caller, call(0, { node: 'work' })) : spawn(caller));
        const child = await claimed(server);
        t.equal((await read(server, child.run_id)).parent, caller.run_id);
        if (!calls) await server.agent.end(caller);
        caller = child;
      }
      await t.rejects(spawn(caller), {
        code: 'chain_too_deep',
        status: 409,
        message: 'the run would be number 17 in a chain of runs that spawn runs; a chain can have at most 16',
      });
      await t.rejects(engine.park(caller, call(0, { node: 'work' })), { code: 'calls_too_deep' });
      const { org_id, project_id } = server.scope;
      const child = { org_id, project_id, org: 'acme', project: 'main', kind: 'script', source: 'true', tags: [] };
      const trigger = { type: 'spawn', parent: caller.run_id };
      const forged = { ...child, trigger, trusted: true, generation: 0, parent: caller.run_id, filename: 'a.sh' };
      await t.rejects(server.use(RunEngine).submit(forged), { code: 'chain_too_deep' }, 'whoever makes the run');
      t.equal((await server.call('viewer', `GET ${server.scoped}/runs`)).json.runs.length, 17);
      await server.agent.end(caller);
      await server.agent.end(await claimed(server));
      const again = await server.call('member', `POST ${server.scoped}/runs/${caller.run_id}/rerun`, {});
      t.match(again, { status: 201 }, 'a rerun stands where its first run stood');
      await t.rejects(spawn(await claimed(server)), { code: 'chain_too_deep' });
    }),
  );

  t.test(`${store}: another server tells the caller, whoever dies`, async (t) => {
    const database = await openTestDatabase(store);
    t.teardown(() => database.drop());
    // The first server makes the call and ends the run, and dies before it tells anybody.
    const first = await bootEngine({ ...options, idle: true, database });
    const caller = await script(first);
    const engine = first.use(RunStore);
    await engine.park(caller, call(0, { node: 'work' }));
    const child = await claimed(first);
    await first.agent.end(child);
    await first.close();
    const second = await bootEngine({ ...options, database });
    t.teardown(() => second.close());
    const again = await until(() => new StandInAgent(second.use).claim(1).then(([one]) => one));
    t.match(again, { run_id: caller.run_id, journal: [{ kind: 'call', exit_code: 0 }] });
  });
}
