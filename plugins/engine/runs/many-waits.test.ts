import { type ClientRequest, request } from 'node:http';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { Database } from '../../../kernel/contracts/index.ts';
import { RunStore } from './contract.ts';
import { alteredDatabase, bootEngine, openTestDatabase, STORES, type Store, until } from '../../../test/kit/index.ts';

/** Sockets of this one process, on both of their ends. */
const MANY = 2000;
/** Timers of the rest of a server, which come and go. */
const OTHERS = 50;
const POLL = 'SELECT run_id FROM runs_runs WHERE run_id IN';
const RECORD = 'FROM runs_runs WHERE org_id = ?';

/** A server whose statements and armed timers are counted, and another one on the same database. */
async function counted(t: Test, store: Store) {
  const database = await openTestDatabase(store);
  const other = await bootEngine({ database });
  const real = other.use(Database);
  const statements: string[] = [];
  const read: Database['read'] = (statement, params) => {
    statements.push(statement);
    return real.read(statement, params);
  };
  const replace = [[Database, () => alteredDatabase(real, { read })] as const];
  const server = await bootEngine({ database, replace, env: { SVC_RATE_LIMIT: 'off' } });
  t.teardown(async () => {
    await server.close();
    await other.close();
    await database.drop();
  });
  let timers = 0;
  const { after } = server.clock;
  server.clock.after = (ms, run, options) => {
    let armed = true;
    timers += 1;
    const over = () => {
      if (armed) timers -= 1;
      armed = false;
    };
    const fired = () => {
      over();
      run();
    };
    const cancel = after(ms, fired, options);
    return () => {
      over();
      cancel();
    };
  };
  return { server, other, statements, timers: () => timers };
}

for (const store of STORES)
  t.test(`${store}: many clients wait by one timer and one query, and one end answers its own`, async (t) => {
    const { server, other, statements, timers } = await counted(t, store);
    const submit = async () => (await server.call('member', `POST ${server.scoped}/runs`, { source: 'true' })).json;
    const ask = (run_id: string) => {
      const answered = Promise.withResolvers<Record<string, unknown>>();
      const call: ClientRequest = request(`${server.url}${server.scoped}/runs/${run_id}?wait=10m`, {
        agent: false,
        headers: { authorization: 'Bearer viewer' },
      });
      call.on('error', (cause) => answered.reject(new Error(`the call was cut off: ${cause.message}`, { cause })));
      call.on('response', (response) => void text(response).then((body) => answered.resolve(JSON.parse(body))));
      call.end();
      return { call, answer: answered.promise };
    };
    const waiting = async (count: number) => {
      const { text: metrics } = await server.call(undefined, 'GET /metrics');
      return new RegExp(`^svc_runs_waiting_requests ${count}$`, 'm').test(metrics);
    };
    const shared = await submit();
    const claim = await server.agent.claimOne();
    const foreign = await submit();
    const others = await other.agent.claimOne();
    const left = await submit();

    const before = timers();
    const many = Array.from({ length: MANY - 2 }, () => ask(shared.run_id));
    const [alone, leaving] = [ask(foreign.run_id), ask(left.run_id)];
    leaving.answer.catch(() => undefined);
    await until(() => waiting(MANY), { what: 'all requests to wait' });
    t.ok(timers() < before + OTHERS, `${timers() - before} timers`);

    const polls = () => statements.filter((statement) => statement.startsWith(POLL)).length;
    // Each looks at its run once when it comes, the last ones a moment after they count as waiting.
    await until(
      () => {
        const since = statements.slice(statements.findLastIndex((statement) => statement.includes(RECORD)) + 1);
        return since.filter((statement) => statement.startsWith(POLL)).length >= 4;
      },
      { what: 'some polls, between which nobody reads a run' },
    );

    statements.length = 0;
    await server.use(RunStore).complete(claim, { status: 'succeeded', output: 7 });
    for (const { answer } of many) t.match(await answer, { run_id: shared.run_id, status: 'succeeded', output: 7 });
    const records = statements.filter((statement) => statement.includes(RECORD)).length;
    t.equal(records, 1, 'the run was read once for all');
    t.ok(await waiting(2), 'the others wait on');

    await other.use(RunStore).complete(others, { status: 'succeeded', output: 8 });
    t.match(await alone.answer, { run_id: foreign.run_id, status: 'succeeded', output: 8 }, 'by another server');

    leaving.call.destroy();
    await until(() => waiting(0), { what: 'who hangs up to be forgotten' });
    t.ok(timers() < before + OTHERS, 'none is left');
    statements.length = 0;
    await server.call('viewer', `GET ${server.scoped}/runs/${left.run_id}`);
    t.equal(polls(), 0, 'nobody polls for nobody');
  });
