import t from 'tap';
import { Database } from '../../kernel/contracts/index.ts';
import { RunStore } from '../../plugins/engine/runs/contract.ts';
import { boot, StandInAgent, STORES, until } from '../kit/index.ts';

const AT_ONCE = 40;
/** As many as read a whole document at a time, whoever asks. */
const MOST = 8;
const LARGE = 'x'.repeat(300 * 1024);

t.setTimeout(600_000);

for (const store of STORES)
  t.test(`${store}: however many ask at once, few documents are in memory`, { timeout: 600_000 }, async (t) => {
    const server = await boot({ store, access: 'project', env: { SVC_RATE_LIMIT: 'off' } });
    t.teardown(() => server.close());
    const post = async (path: string, body: unknown) => {
      const answer = await server.call('member', `POST ${server.scoped}/${path}`, body);
      if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text.slice(0, 200)}`);
      return answer.json;
    };
    const { event } = await post('events', { type: 'large', payload: LARGE });
    const { run_id } = await post('runs', { source: '#!/bin/sh\ntrue\n', input: LARGE });
    const agent = new StandInAgent(server.use, { org_id: server.scope.org_id });
    const claim = await agent.claimOne();
    const record = { kind: 'step', name: 'large', ordinal: 0, digest: '', exit_code: 0, started_at: 1 };
    const output = Buffer.from(LARGE).toString('base64');
    await server.use(RunStore).append(claim, { ...record, position: 0, output });
    await server.use(RunStore).complete(claim, { status: 'succeeded', output: LARGE });
    const others = await Promise.all(
      Array.from({ length: AT_ONCE }, () => post('runs', { source: '#!/bin/sh\ntrue\n' })),
    );
    for (const one of await agent.claim(AT_ONCE)) await agent.end(one, { status: 'succeeded', output: LARGE });

    const database = server.use(Database);
    const { read } = database;
    for (const [what, statement, paths] of [
      ['events', / AS body FROM bus_events/, repeated(`events/${event}`)],
      ['inputs', /envelope.* FROM runs_runs/s, repeated(`runs/${run_id}/input`)],
      ['documents', /s\.source.*FROM runs_runs/s, repeated(`runs/${run_id}/document`)],
      ['steps', / AS output, j\.message/, repeated(`runs/${run_id}/steps`)],
      // What is read of all runs at once says `AS output`: it leaves large ones out.
      ['outputs of many runs', /, output, /, others.map((run) => `runs/${run.run_id}`)],
    ] as const)
      await t.test(what, async (t) => {
        const held: (() => void)[] = [];
        let holding = true;
        database.read = async <R>(sql: string, params?: Parameters<Database['read']>[1]) => {
          const rows = await read.call(database, sql, params);
          if (holding && statement.test(sql)) await new Promise<void>((resolve) => held.push(resolve));
          return rows as R[];
        };
        const asked = paths.map((path) => server.call('member', `GET ${server.scoped}/${path}`));
        await until(() => held.length > 0, { what: `a read of ${what}` });
        // Each request that could read would have come that far by the time that as many others are answered.
        for (let n = 0; n < AT_ONCE; n++) await server.call(undefined, 'GET /healthz');
        t.ok(held.length <= MOST, `${held.length} of ${paths.length} have read`);
        holding = false;
        database.read = read;
        for (const release of held) release();
        const answers = await Promise.all(asked);
        t.ok(
          answers.every(({ status }) => status === 200),
          'each is answered',
        );
      });
  });

const repeated = (path: string): string[] => Array.from({ length: AT_ONCE }, () => path);
