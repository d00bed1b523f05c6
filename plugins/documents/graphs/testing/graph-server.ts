import type { Test } from 'tap';
import { Database } from '../../../../kernel/contracts/index.ts';
import {
  bootEngine,
  checkRuns,
  type EngineServer,
  StandInAgent,
  type TestOptions,
} from '../../../../test/kit/index.ts';
import { Flows } from '../../../engine/flows/contract.ts';
import { type Claimed, type Completion, type Json, type Run, RunEngine } from '../../../engine/runs/contract.ts';

type Node = { id: string; type: string; [member: string]: unknown };

/** The text of a graph, with edges written `a>b` or `a>b?case`. */
export function createGraph(nodes: readonly Node[], edges = '', more: Record<string, unknown> = {}) {
  return { version: 'svc-graph/v1', nodes, edges: edges.split(' ').filter(Boolean).map(parseEdge), ...more };
}

function parseEdge(text: string) {
  const [, from, to, when] = /^([^>]+)>([^?]+)(?:\?(.+))?$/.exec(text)!;
  return { from, to, ...(when !== undefined && { when: when === 'true' ? true : when === 'false' ? false : when }) };
}

export const expr = ($expr: string) => ({ $expr });
export const set = (id: string, values: unknown = id, more: Record<string, unknown> = {}): Node => ({
  id,
  type: 'set',
  config: { values },
  ...more,
});
export const node = (id: string, type: string, config: unknown = {}, more: Record<string, unknown> = {}): Node => ({
  id,
  type,
  config,
  ...more,
});

/** A server with graphs. Tests claim and end activities. */
export class GraphServer {
  readonly server: EngineServer;

  private constructor(server: EngineServer) {
    this.server = server;
  }

  static async open(options: TestOptions = {}): Promise<GraphServer> {
    return new GraphServer(
      await bootEngine({ idle: false, ...options, plugins: ['graphs', ...(options.plugins ?? [])] }),
    );
  }

  /** Opens it for the tests in `t`, and checks the invariants after each of them. */
  static async openFor(t: Test, options: TestOptions): Promise<GraphServer> {
    const opened = await GraphServer.open(options);
    t.teardown(() => opened.close());
    t.afterEach(async () => t.same(await opened.broken(), [], 'the invariants hold'));
    return opened;
  }

  close(): Promise<void> {
    return this.server.close();
  }

  /** A request to the API; `path` begins after the project. */
  call(request: string, body?: unknown, as: 'viewer' | 'member' | 'admin' = 'admin') {
    const [method = '', path = ''] = request.split(' ');
    return this.server.call(as, `${method} ${this.server.scoped}${path}`, body);
  }

  async submit(document: unknown, input?: Json): Promise<string> {
    const source = JSON.stringify(document);
    const { run_id } = await this.server.use(RunEngine).submit(this.server.submit({ source, input }));
    return run_id;
  }

  read(run_id: string): Promise<Run> {
    return this.server.use(RunEngine).read(this.server.scope, run_id);
  }

  async states(run_id: string): Promise<string> {
    const list = await this.server.use(Flows).nodes(this.server.scope, run_id, { after: -1, limit: 1000 });
    return list.map(({ id, state }) => `${id}:${state}`).join(' ');
  }

  /** Claims what an agent with these capabilities would claim. */
  claim(...capabilities: string[]): Promise<Claimed[]> {
    return new StandInAgent(this.server.use, { capabilities: ['linux', 'bash', 'node', ...capabilities] }).claim();
  }

  end(claim: Claimed, completion?: Completion): Promise<void> {
    return this.server.agent.end(claim, completion);
  }

  broken(): Promise<string[]> {
    return checkRuns(this.server.use(Database));
  }
}
