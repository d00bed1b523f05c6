import type { Clock, Ids, Log } from '../../../../kernel/contracts/index.ts';
import type { ActivityHost } from '../../agents/contract.ts';
import type { Replay } from '../../replay/contract.ts';
import type { Verb } from '../contract.ts';
import type { AgentEnvironment } from '../domain/environment.ts';
import type { Isolation } from '../isolation/isolation.ts';
import type { Spawner } from '../native/spawner.ts';
import type { ShellBuiltin } from '../shell/in-shell.ts';
import type { WarmInterpreters, WarmContext } from '../warm/warm-interpreters.ts';
import type { SdkLinks } from './sdk-folder.ts';

/** Shared by all passes of an agent. */
export interface PassDeps {
  clock: Clock;
  ids: Ids;
  log: Log;
  /** The agent's own environment. */
  env: AgentEnvironment;
  /** Path of the Node.js that runs `.ts` and `.js`. */
  node: string;
  verbs: ReadonlyMap<string, Verb>;
  replay: Replay;
  spawner(runtime_dir: string): Promise<Spawner>;
  /** Returns the folder that contains the verb client. */
  client(runtime_dir: string): Promise<string>;
  /** Returns the SDKs that scripts can import. */
  sdks(agent: ActivityHost['agent']): Promise<SdkLinks>;
  isolation: Isolation;
  /** Returns undefined if every interpreter is started when its pass begins. */
  warm(context: WarmContext): WarmInterpreters | undefined;
  /** Undefined if scripts call the `svc` program. */
  in_shell: ShellBuiltin | undefined;
  /** The grace period between SIGTERM and SIGKILL when a pass is stopped. */
  grace_ms: number;
}
