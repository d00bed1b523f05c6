import type { Test } from 'tap';
import { join } from 'node:path';
import { Database } from '../../../../kernel/contracts/index.ts';
import { bootEngine, checkRuns, type EngineServer, type TestOptions } from '../../../../test/kit/index.ts';
import type { Claimed, Completion, Json, Run } from '../../runs/contract.ts';
import { RunEngine, RunStore } from '../../runs/contract.ts';
import { Flows, type FlowNode, type FlowNodeView, type FlowPlan } from '../contract.ts';
import { checkFlows } from './invariants.ts';

const KIND = join(import.meta.dirname, '../../../../test/plugins/flow-kind');

export type Document = Omit<FlowPlan, 'language'>;

/** A server with a workflow kind whose documents are plans. Tests claim and end its activities. */
export class FlowServer {
  readonly server: EngineServer;

  private constructor(server: EngineServer) {
    this.server = server;
  }

  static async open(options: TestOptions = {}): Promise<FlowServer> {
    return new FlowServer(await bootEngine({ ...options, plugins: ['flows', ...(options.plugins ?? []), KIND] }));
  }

  /** Opens it for the tests in `t`, and checks the invariants after each of them. */
  static async openFor(t: Test, options: TestOptions): Promise<FlowServer> {
    const opened = await FlowServer.open(options);
    t.teardown(() => opened.close());
    t.afterEach(async () => t.same(await opened.broken(), [], 'the invariants hold'));
    return opened;
  }

  close(): Promise<void> {
    return this.server.close();
  }

  async submit(document: Document, input: Json = null, trusted = true): Promise<string> {
    const source = JSON.stringify({ version: 'svc-test-flow/v1', ...document });
    const { run_id } = await this.server.use(RunEngine).submit(this.server.submit({ source, input, trusted }));
    return run_id;
  }

  read(run_id: string): Promise<Run> {
    return this.server.use(RunEngine).read(this.server.scope, run_id);
  }

  async nodes(run_id: string): Promise<Record<string, FlowNodeView>> {
    const list = await this.server.use(Flows).nodes(this.server.scope, run_id, { after: -1, limit: 1000 });
    return Object.fromEntries(list.map((node) => [node.id, node]));
  }

  async states(run_id: string): Promise<string> {
    return Object.values(await this.nodes(run_id))
      .map(({ id, state }) => `${id}:${state}`)
      .join(' ');
  }

  claim(limit?: number): Promise<Claimed[]> {
    return this.server.agent.claim(limit);
  }

  end(claim: Claimed, completion?: Completion): Promise<void> {
    return this.server.agent.end(claim, completion);
  }

  /** Expires waits as the sweeper does, until only future ones remain. */
  async sweep(ms = 0): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, ms));
    while ((await this.server.use(RunStore).resolveDue(100)).resolved > 0);
  }

  async broken(): Promise<string[]> {
    const database = this.server.use(Database);
    return [...(await checkRuns(database)), ...(await checkFlows(database))];
  }
}

const node =
  (type: string) =>
  (id: string, config: Json = {}, more: Partial<FlowNode> = {}): FlowNode => ({
    id,
    type,
    config,
    ...more,
  });
/** Nodes without an agent. */
export const set = (id: string, values: Json = id, more: Partial<FlowNode> = {}) => node('set')(id, { values }, more);
export const failing = (id: string, times: number, more?: Partial<FlowNode>) => node('failing')(id, { times }, more);
/** A node for an agent. */
export const shell = (id: string, more?: Partial<FlowNode>) => node('shell')(id, { run: 'true' }, more);
export const expr = (text: string): Json => ({ $expr: text });
export { node };
