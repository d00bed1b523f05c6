import { type Claimed, type SubmitRun, type WorkflowKind, WorkflowKinds } from '../../plugins/engine/runs/contract.ts';
import { plan } from '../../kernel/boot/index.ts';
import { boot, type TestOptions, type TestServer } from './boot.ts';
import { anyScript, StandInAgent, submission } from './stand-in-runs.ts';
import { testPlugin } from './test-plugin.ts';

export interface EngineOptions extends TestOptions {
  /** Kinds of workflow besides scripts. */
  kinds?: readonly WorkflowKind[];
}

/** The engine, and who stands in for people and agents. */
export interface EngineServer extends TestServer {
  /** A person's submit to the project of the server. */
  submit(more?: Partial<SubmitRun>): SubmitRun;
  agent: StandInAgent;
  /** Claims the one activity that there is. */
  claim(): Promise<Claimed>;
}

/** What a server of runs always has: the views that tests read, and the state that scripts keep. */
const ALWAYS = ['run-views', 'state'];

/**
 * Boots plugins runs, run-views and state, and those named. Without plugin scripts, `anyScript` stands in for it. Without background work unless
 * `idle` is false: a test claims and ends activities itself.
 */
export async function bootEngine({ kinds = [], plugins = [], ...options }: EngineOptions = {}): Promise<EngineServer> {
  const candidates = await plan([], { plugins });
  const missing = candidates.every(({ manifest }) => manifest.id !== 'scripts');
  const all = missing ? [anyScript, ...kinds] : kinds;
  const brought = testPlugin('stand-in-kinds', (plugin) => plugin.contribute(WorkflowKinds, () => all), {
    requires: ['runs'],
  });
  const server = await boot({ idle: true, ...options, plugins: [brought, ...ALWAYS, ...plugins] });
  const agent = new StandInAgent(server.use);
  const submit = (more?: Partial<SubmitRun>) => submission(more, server.scope);
  return Object.assign(server, { agent, submit, claim: () => agent.claimOne() });
}

/** Runs `work` on an engine of its own, which is closed whatever happens. */
export async function withEngine(options: EngineOptions, work: (server: EngineServer) => Promise<void>): Promise<void> {
  const server = await bootEngine(options);
  try {
    await work(server);
  } finally {
    await server.close();
  }
}
