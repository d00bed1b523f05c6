import { MemoryLink } from '../worker/memory-link.ts';
import { TestExecutor, testWorker } from './agent.ts';
import { TestServer } from './server.ts';
import type { JobEnvironments } from '../../../engine/runs/contract.ts';

export const BUILTIN = { token_id: 'builtin', org_id: undefined };

/** Server and agent in this process, as in `svc dev`. */
export async function inMemory(
  options: {
    executor?: TestExecutor;
    slots?: number;
    grace_ms?: number;
    lease_ms?: number;
    environments?: JobEnvironments;
  } = {},
) {
  const { executor = new TestExecutor(), lease_ms = 5000, environments, ...rest } = options;
  const server = new TestServer({ lease_ms, environments });
  await server.sessions.start();
  const worker = testWorker({ link: new MemoryLink(server.sessions, BUILTIN), executor, log: server.log, ...rest });
  await worker.start();
  const stop = async () => {
    await worker.stop();
    await server.sessions.stop();
  };
  return { server, store: server.store, worker, executor, stop };
}
