import t from 'tap';
import { STORES, until } from '../../../test/kit/index.ts';
import type { AgentHello } from './contract.ts';
import { ISOLATES, openWaitingWork } from './testing/waiting-work.ts';

t.setTimeout(600_000);

/** What agents are given of work that differs in trust and project. */
for (const store of STORES)
  t.test(`who gets which work, on ${store}`, { timeout: 600_000 }, async (t) => {
    const { call, agentToken, submit, connect } = await openWaitingWork(t, store);
    const token = await agentToken();
    /** Connects, takes so many activities, and gives back all that it got by then. Answers their runs. */
    const taken = async (token: string, given: Partial<AgentHello>, count: number): Promise<string[]> => {
      const agent = await connect(given, token);
      await agent.ask('ready', { free: 8 });
      await until(() => agent.assigned().length >= count);
      // Otherwise it would be given again what it gives back.
      await agent.ask('ready', { free: 0 });
      for (const { activity_id, epoch } of agent.assigned())
        await agent.ask('release', { claim: { activity_id, epoch } });
      await agent.close();
      return [...new Set(agent.assigned().map(({ run_id }) => run_id))].sort();
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
