import t from 'tap';
import { bootEngine, StandInAgent } from '../kit/index.ts';

t.test('a job without a timeout is given the usual one, and a job with one is not', async (t) => {
  const server = await bootEngine({ plugins: ['pipelines'], env: { SVC_JOB_TIMEOUT: '90m' } });
  t.teardown(() => server.close());
  const source = `jobs:
  usual: { steps: [{ run: "true" }] }
  own: { timeout: 8h, steps: [{ run: "true" }] }
`;
  const body = { filename: 'a.yml', source };
  t.equal((await server.call('member', `POST ${server.scoped}/runs`, body)).status, 201);
  const agent = new StandInAgent(server.use, { capabilities: ['bash'] });
  const specs = (await agent.claim()).map(({ spec }) => spec as { key: string; limit_ms?: number });
  t.same(Object.fromEntries(specs.map(({ key, limit_ms }) => [key, limit_ms])), { usual: 5_400_000, own: undefined });
});
