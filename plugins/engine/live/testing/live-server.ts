import { Database } from '../../../../kernel/contracts/index.ts';
import { bootEngine, type EngineOptions, type EngineServer } from '../../../../test/kit/index.ts';
import { RunStore } from '../../runs/contract.ts';
import { EventBus } from '../../../events/bus/contract.ts';
import { LiveStream, type StreamOptions } from '../../../../test/support/live-stream.ts';

/** A server with live streams, in the project of the stand-in. A test claims and ends work itself. */
export class LiveServer {
  readonly server: EngineServer;
  readonly streams: LiveStream[] = [];

  private constructor(server: EngineServer) {
    this.server = server;
  }

  static async open(options: EngineOptions = {}): Promise<LiveServer> {
    const plugins = ['bus', 'live', ...(options.plugins ?? [])];
    return new LiveServer(await bootEngine({ idle: false, ...options, plugins }));
  }

  get store(): RunStore {
    return this.server.use(RunStore);
  }

  get database(): Database {
    return this.server.use(Database);
  }

  stream(topics: string, options: StreamOptions & { project?: string } = {}): LiveStream {
    const { project = this.server.scope.project, ...more } = options;
    const path = `/api/v1/orgs/${this.server.scope.org}/projects/${project}/live`;
    const stream = new LiveStream(`${this.server.url}${path}?topics=${topics}`, more);
    this.streams.push(stream);
    return stream;
  }

  /** A stream that has begun. */
  ready(topics: string, options: StreamOptions & { project?: string } = {}): Promise<LiveStream> {
    return this.stream(topics, options).ready();
  }

  async submit(body: object = {}): Promise<string> {
    const { json } = await this.server.call('member', `POST ${this.server.scoped}/runs`, { source: 'true', ...body });
    return json.run_id as string;
  }

  async emit(type: string, project_id = this.server.scope.project_id): Promise<string> {
    const { org_id } = this.server.scope;
    const from = { source: 'emit', source_name: '', generation: 0, trusted: true, refusable: true } as const;
    const event = { org_id, project_id, type, key: null, payload: null, ...from };
    return (await this.server.use(EventBus).emit(event)).event_id;
  }

  async close(): Promise<void> {
    for (const stream of this.streams) stream.cut();
    await this.server.close();
  }
}

/** Runs `work` with a server of its own, which is always closed. */
export async function withLive(options: EngineOptions, work: (live: LiveServer) => Promise<void>): Promise<void> {
  const live = await LiveServer.open(options);
  try {
    await work(live);
  } finally {
    await live.close();
  }
}
