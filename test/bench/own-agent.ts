import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { ActivityHost, Assignment, Executor, PassEnd } from '../../plugins/execution/agents/contract.ts';
import { SocketLink } from '../../plugins/execution/agents/worker/socket-link.ts';
import { createMaskers } from '../../plugins/security/masking/service/maskers.ts';
import { Worker } from '../../plugins/execution/agents/worker/worker.ts';
import { createScriptExecutor } from '../../plugins/execution/scripts/executor/script-executor.ts';
import { replay, verbs } from '../../plugins/execution/scripts/executor/testing/plugins.ts';
import { clone, type Place } from './place.ts';
import { createIds, systemClock } from '../kit/index.ts';

const clock = systemClock;
const ids = createIds(clock);
const log = pino({ level: 'error' }, pino.destination(2));

/** An agent of the service in this process, over the real channel, with an executor of the bench's choice. */
async function withAgent<T>(place: Place, executor: Executor, slots: number, work: () => Promise<T>): Promise<T> {
  const runtime_dir = await mkdtemp(join(tmpdir(), 'svc-bench-agent-'));
  const refusal = Promise.withResolvers<never>();
  const link = new SocketLink({
    url: `${place.api().url.replace(/^http/, 'ws')}/api/v1/agents/connect`,
    token: place.agent_token,
    clock,
    ids,
    log,
    onRefused: (error) => refusal.reject(error),
  });
  const worker = new Worker({
    link,
    executors: [executor],
    maskers: createMaskers(),
    settings: {
      ...{ name: 'bench', slots, extra_capabilities: [], workdir: place.folder, drain_grace_ms: 0 },
      ...{ visible_paths: [], untrusted: 'isolate', isolate: 'untrusted', network: 'host' },
    },
    runtime_dir,
    version: '0.1.0',
    machine: { os: process.platform, arch: process.arch, pid: process.pid },
    clock,
    ids,
    log,
  });
  try {
    await worker.start();
    return await Promise.race([work(), refusal.promise]);
  } finally {
    await worker.stop();
    await rm(runtime_dir, { recursive: true, force: true });
  }
}

function scriptExecutor(place: Place, options: { native?: boolean } = {}): Executor {
  const cli = [process.execPath, join(clone, 'cli/main.mjs')];
  const { PATH, HOME = place.folder } = process.env;
  return createScriptExecutor({
    clock,
    ids,
    log,
    env: { PATH, HOME },
    node: process.execPath,
    cli,
    verbs: () => verbs,
    replay,
    grace_ms: 1000,
    ...options,
  });
}

/** An agent whose verb client and spawner are the Node programs, as on a machine without a compiler. */
export function withNodeFallbacks<T>(place: Place, work: () => Promise<T>): Promise<T> {
  return withAgent(place, scriptExecutor(place, { native: false }), 4, work);
}

/** An agent for scripts that ask for `capability`; `seen` is told of each assignment that it is handed. */
export function withScripts<T>(
  place: Place,
  { capability, seen }: { capability: string; seen(assignment: Assignment): void },
  work: () => Promise<T>,
): Promise<T> {
  const scripts = scriptExecutor(place);
  const executor: Executor = {
    ...scripts,
    capabilities: async () => [capability],
    start(assignment, host) {
      seen(assignment);
      return scripts.start(assignment, host);
    },
  };
  return withAgent(place, executor, 4, work);
}

/** An agent that starts no process: `play` stands in for the script, so that what is measured is the server's. */
export function withoutProcesses<T>(
  place: Place,
  slots: number,
  play: (assignment: Assignment, host: ActivityHost) => Promise<PassEnd>,
  work: () => Promise<T>,
): Promise<T> {
  const executor: Executor = {
    executor: 'script',
    capabilities: async () => ['bash', 'node'],
    start: (assignment, host) => ({ result: play(assignment, host), stop: () => undefined }),
  };
  return withAgent(place, executor, slots, work);
}
