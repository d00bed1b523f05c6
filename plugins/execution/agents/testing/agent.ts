import type { Log, ServiceError } from '../../../../kernel/contracts/index.ts';
import type { ActivityHost, Assignment, Executor, PassEnd, RunningPass } from '../contract.ts';
import { SocketLink } from '../worker/socket-link.ts';
import { Worker } from '../worker/worker.ts';
import { ids, keepingLog } from './doubles.ts';
import { createMaskers, systemClock as clock } from '../../../../test/kit/index.ts';

export interface TestPass {
  assignment: Assignment;
  host: ActivityHost;
  stopped: string | undefined;
  end(end: PassEnd): void;
}

/** Runs passes as the test says: by `play`, or manually through `passes`. */
export class TestExecutor implements Executor {
  readonly executor = 'test';
  readonly passes: TestPass[] = [];
  closed = 0;
  drained = 0;
  readonly #play: ((pass: TestPass) => Promise<PassEnd>) | undefined;

  constructor(play?: (pass: TestPass) => Promise<PassEnd>) {
    this.#play = play;
  }

  async capabilities(): Promise<string[]> {
    return ['testing'];
  }

  start(assignment: Assignment, host: ActivityHost): RunningPass {
    const ended = Promise.withResolvers<PassEnd>();
    const pass: TestPass = { assignment, host, stopped: undefined, end: (end) => ended.resolve(end) };
    this.passes.push(pass);
    this.#play?.(pass).then(ended.resolve, ended.reject);
    return {
      result: ended.promise,
      stop: (why) => {
        pass.stopped ??= why;
        ended.resolve({ end: why === 'draining' ? 'released' : 'lost' });
      },
    };
  }

  async drain(): Promise<void> {
    this.drained += 1;
  }

  async close(): Promise<void> {
    this.closed += 1;
  }
}

export interface AgentOptions {
  port: number;
  token?: string;
  executor?: TestExecutor;
  slots?: number;
  name?: string;
  grace_ms?: number;
}

/** An agent over a real WebSocket. */
export function testAgent({ port, token = 'svc_agt_one', executor = new TestExecutor(), ...options }: AgentOptions) {
  const log = keepingLog();
  const refusals: ServiceError[] = [];
  const link = new SocketLink({
    url: `ws://127.0.0.1:${port}/api/v1/agents/connect`,
    token,
    clock,
    ids,
    log,
    onRefused: (error) => refusals.push(error),
  });
  const worker = testWorker({ link, executor, log, ...options });
  return { link, worker, executor, log, refusals };
}

export function testWorker(parts: {
  link: ConstructorParameters<typeof Worker>[0]['link'];
  executor: TestExecutor;
  log?: Log;
  slots?: number;
  name?: string;
  grace_ms?: number;
}): Worker {
  return new Worker({
    link: parts.link,
    executors: [parts.executor],
    maskers: createMaskers(),
    settings: {
      name: parts.name ?? 'agent',
      slots: parts.slots ?? 8,
      extra_capabilities: [],
      workdir: '/',
      visible_paths: [],
      untrusted: 'isolate',
      isolate: 'untrusted',
      network: 'host',
      drain_grace_ms: parts.grace_ms ?? 0,
    },
    runtime_dir: '/nowhere',
    version: '0.1.0',
    machine: { os: 'linux', arch: 'x64', pid: process.pid },
    clock,
    ids,
    log: parts.log ?? keepingLog(),
  });
}

export const succeeded: PassEnd = { end: 'completed', completion: { status: 'succeeded', output: {} } };

export const siteAt = (position: number) => ({
  position,
  kind: 'step',
  name: 's',
  ordinal: position,
  digest: '',
  started_at: 1,
});

export const recordAt = (position: number, text = 'x') => ({
  ...siteAt(position),
  exit_code: 0,
  output: Buffer.from(text).toString('base64'),
});
