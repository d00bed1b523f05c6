import { join } from 'node:path';
import type { Scope } from '../../../../kernel/contracts/index.ts';
import { boot, type Store, type TestOptions, type TestServer, until } from '../../../../test/kit/index.ts';
import type { FlowNode } from '../../../engine/flows/contract.ts';
import type { Json, Run } from '../../../engine/runs/contract.ts';
import { RunEngine } from '../../../engine/runs/contract.ts';
import { FarEnd, type Reply } from '../../../../features/support/far-end.ts';

const KIND = join(import.meta.dirname, '../../../../test/plugins/flow-kind');
const PLUGINS = ['http', 'access', 'audit', 'credentials', 'secrets', 'scripts', 'flows', 'requests', KIND];

/** Part of every secret value. No table and no message may contain it. */
export const CANARY = 'canary-7d10a5';

const CREDENTIALS = {
  bot: { kind: 'bearer', token: `${CANARY}-1` },
  key: { kind: 'api_key', header: 'X-Api-Key', value: `${CANARY}-2` },
  pair: { kind: 'basic', username: 'ci', password: `${CANARY}-3` },
  hole: { kind: 'url_token', token: `12:${CANARY}/4#` },
};

/** Creates a node of type `http`. */
export const http = (config: Record<string, Json>, more: Partial<FlowNode> = {}): FlowNode => ({
  id: 'call',
  type: 'http',
  config,
  ...more,
});

/** A server that sends requests itself, with credentials, and the stub that receives them. */
export class RequestServer {
  readonly server: TestServer;
  readonly far: FarEnd;

  private constructor(server: TestServer, far: FarEnd) {
    this.server = server;
    this.far = far;
  }

  static async open(store: Store, { env, ...options }: TestOptions = {}): Promise<RequestServer> {
    const allow = { SVC_EGRESS_ALLOW: '127.0.0.0/8' };
    const server = await boot({ ...options, store, access: 'project', plugins: PLUGINS, env: { ...allow, ...env } });
    for (const [name, body] of Object.entries(CREDENTIALS)) {
      const { status } = await server.call('admin', `PUT ${server.scoped}/credentials/${name}`, body);
      if (status !== 201 && status !== 200) throw new Error(`the credential ${name} was answered ${status}`);
    }
    return new RequestServer(server, await FarEnd.open());
  }

  async close(): Promise<void> {
    await this.far.close();
    await this.server.close();
  }

  /** Sets the stub's next answers and clears the requests that it recorded. */
  answering(reply: Reply): void {
    this.far.seen.length = 0;
    this.far.reply = reply;
  }

  async submit(
    nodes: readonly FlowNode[],
    { trusted = true, scope = this.server.scope }: { trusted?: boolean; scope?: Scope } = {},
  ): Promise<string> {
    const last = nodes.at(-1)!.id;
    const output = { text: `nodes.${last}.output`, reads: [last] };
    const source = JSON.stringify({ version: 'svc-test-flow/v1', nodes, output });
    const asked = { ...scope, source, trigger: { type: 'manual' }, trusted, generation: 0 };
    return (await this.server.use(RunEngine).submit(asked)).run_id;
  }

  /** Runs these nodes to their end. The output of the run is that of the last node. */
  async run(nodes: readonly FlowNode[], options?: { trusted?: boolean }): Promise<Run> {
    return this.over(await this.submit(nodes, options));
  }

  read(run_id: string, scope = this.server.scope): Promise<Run> {
    return this.server.use(RunEngine).read(scope, run_id);
  }

  over(run_id: string, scope = this.server.scope): Promise<Run> {
    return until(async () => {
      const run = await this.read(run_id, scope);
      return run.finished_at ? run : undefined;
    });
  }
}
