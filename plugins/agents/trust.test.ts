import { randomBytes } from 'node:crypto';
import t from 'tap';
import { Bootstrap, Scopes } from '../access/contract.ts';
import { RunEngine, type SubmitRun } from '../runs/contract.ts';
import { boot, openTestDatabase, STORES, until } from '../../test/kit/index.ts';
import type { AgentHello } from './contract.ts';
import { hello, raw } from './testing/raw-client.ts';

t.setTimeout(600_000);

const ISOLATES = 'svc:isolates';

/** What agents are given of work that differs in trust and project. */
for (const store of STORES)
  t.test(`who gets which work, on ${store}`, { timeout: 600_000 }, async (t) => {
    const database = await openTestDatabase(store);
    const server = await boot({ database, access: 'empty' });
    t.teardown(async () => {
      await server.close();
      await database.drop();
    });
    const { token: user } = await server.use(Bootstrap).ensure({ user: 'olga', org: 'acme', project: 'main' });
    const call = (method: string, path: string, body?: unknown) => server.call(user, `${method} ${path}`, body);
    await call('PUT', '/api/v1/orgs/acme/projects/other', {});
    const port = Number(new URL(server.url).port);
    const agentToken = async (more: object = {}) => {
      const answer = await call('POST', '/api/v1/tokens', { name: 'a', org: 'acme', kind: 'agent', ...more });
      t.equal(answer.status, 201, answer.text);
      return answer.json.token as string;
    };
    const token = await agentToken();
    const submit = async (project: string, more: Partial<SubmitRun> = {}) => {
      const scope = (await server.use(Scopes).findProject('acme', project))!;
      const run = { source: 'true', trigger: { type: 'manual' }, trusted: true, generation: 0, ...scope, ...more };
      return (await server.use(RunEngine).submit(run)).run_id;
    };
    /** Connects, takes so many activities, and gives back all that it got by then. Answers their runs. */
    const taken = async (token: string, given: Partial<AgentHello>, count: number): Promise<string[]> => {
      const instance = `ins_${randomBytes(6).toString('hex')}`;
      const agent = await raw(port, token);
      const greeted = await agent.ask('hello', hello({ instance, executors: ['script'], ...given }));
      t.ok(greeted.ok, JSON.stringify(greeted.error));
      await agent.ask('ready', { free: 8 });
      const assigned = () =>
        agent.answers.flatMap(
          ({ assignments = [] }) => assignments as { run_id: string; activity_id: string; epoch: number }[],
        );
      await until(() => assigned().length >= count);
      // Otherwise it would be given again what it gives back.
      await agent.ask('ready', { free: 0 });
      for (const { activity_id, epoch } of assigned()) await agent.ask('release', { claim: { activity_id, epoch } });
      await agent.close();
      return [...new Set(assigned().map(({ run_id }) => run_id))].sort();
    };

    const other = await submit('other');
    const trusted = await submit('main');
    const untrusted = await submit('main', { trusted: false });
    const child = await submit('main', { parent: untrusted });

    await t.test('only an agent that isolates gets the work of untrusted runs, and of what these start', async (t) => {
      t.same(await taken(token, { capabilities: [] }, 2), [other, trusted].sort());
      t.same(await taken(token, { capabilities: [ISOLATES] }, 4), [other, trusted, untrusted, child].sort());
    });

    await t.test('an agent for nothing else gets no trusted work', async (t) => {
      const only = { capabilities: [ISOLATES], isolation: { untrusted: 'only' as const } };
      t.same(await taken(token, only, 2), [untrusted, child].sort());
    });

    await t.test('an agent of one project gets the work of this project', async (t) => {
      const own = await agentToken({ project: 'other' });
      t.same(await taken(own, { capabilities: [ISOLATES] }, 1), [other]);
      const { agents } = (await call('GET', '/api/v1/agents')).json;
      t.match(agents, [{ project: 'other', untrusted: 'isolate' }, { untrusted: 'only' }, {}, {}]);
      t.notOk('project' in agents[1]);
    });

    await t.test('what begins with svc: can be required by nobody', async (t) => {
      const path = '/api/v1/orgs/acme/projects/main/runs';
      const answer = await call('POST', path, { filename: 'a.sh', source: 'true', requires: [ISOLATES] });
      t.match(answer, { status: 400, json: { errors: [{ pointer: '/requires/0' }] } });
    });
  });
