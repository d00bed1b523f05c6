import { randomBytes } from 'node:crypto';
import type { Test } from 'tap';
import { Bootstrap, Scopes } from '../../../security/access/contract.ts';
import { type Claimed, RunEngine, type SubmitRun } from '../../../engine/runs/contract.ts';
import { type Answer, boot, openTestDatabase, type Store, until } from '../../../../test/kit/index.ts';
import type { AgentHello } from '../contract.ts';
import { hello, raw } from './raw-client.ts';

/** The capability of agents that isolate. */
export const ISOLATES = 'svc:isolates';

/**
 * A server on the real store with the projects `main` and `other` of `acme`, whose runs wait for agents, and agents that do what
 * a test says. It closes with the test.
 */
export async function openWaitingWork(t: Test, store: Store, env: Record<string, string> = {}) {
  const database = await openTestDatabase(store);
  const server = await boot({ database, access: 'empty', env });
  t.teardown(async () => {
    await server.close();
    await database.drop();
  });
  const { token: user } = await server.use(Bootstrap).ensure({ user: 'olga', org: 'acme', project: 'main' });
  await server.use(Bootstrap).ensure({ user: 'olga', org: 'acme', project: 'other' });
  const port = Number(new URL(server.url).port);
  const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
    server.call(user, `${method} ${path}`, body);
  const agentToken = async (more: object = {}): Promise<string> => {
    const answer = await call('POST', '/api/v1/tokens', { name: 'a', org: 'acme', kind: 'agent', ...more });
    t.equal(answer.status, 201, answer.text);
    return answer.json.token as string;
  };
  const token = await agentToken();
  const scopeOf = async (project: string) => (await server.use(Scopes).findProject('acme', project))!;
  return {
    server,
    call,
    agentToken,
    scopeOf,
    /** Submits a run whose first activity waits for an agent, and returns its id. */
    async submit(project = 'main', more: Partial<SubmitRun> = {}): Promise<string> {
      const scope = await scopeOf(project);
      const run = { source: 'true', trigger: { type: 'manual' }, trusted: true, generation: 0, ...scope, ...more };
      return (await server.use(RunEngine).submit(run)).run_id;
    },
    /** Connects an agent, which isolates unless `given` says otherwise. It requests nothing yet. */
    async connect(given: Partial<AgentHello>, as = token) {
      const agent = await raw(port, as);
      const greeted = await agent.ask(
        'hello',
        hello({ ...{ instance: newInstance(), executors: ['script'] }, capabilities: [ISOLATES], ...given }),
      );
      t.ok(greeted.ok, JSON.stringify(greeted.error));
      const over = new Set<string>();
      const assigned = () => agent.answers.flatMap(({ assignments = [] }) => assignments as Claimed[]);
      return {
        ...agent,
        assigned,
        /** What it was assigned and has not completed. */
        held: (run_id?: string) =>
          assigned().filter((one) => !over.has(one.activity_id) && (run_id === undefined || one.run_id === run_id)),
        has: (run_id: string, count = 1) =>
          until(() => assigned().filter((one) => one.run_id === run_id).length >= count),
        async complete({ activity_id, epoch }: Claimed): Promise<void> {
          over.add(activity_id);
          const completion = { status: 'succeeded', output: null };
          const answer = await agent.ask('complete', { claim: { activity_id, epoch }, completion });
          t.equal(answer.error, undefined);
        },
      };
    },
  };
}

export const newInstance = (): string => `ins_${randomBytes(6).toString('hex')}`;
