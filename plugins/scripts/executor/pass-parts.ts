import type { Clock, Ids, Log } from '../../../kernel/contracts/index.ts';
import type { ActivityHost } from '../../agents/contract.ts';
import type { Replay } from '../../replay/contract.ts';
import type { Verb } from '../contract.ts';
import type { AgentEnvironment } from '../domain/environment.ts';
import type { Isolation } from '../isolation/isolation.ts';
import type { Spawner } from '../native/spawner.ts';
import type { InShell } from '../shell/in-shell.ts';
import type { WarmInterpreters, WarmPlace } from '../warm/warm-interpreters.ts';
import type { SdkLinks } from './sdk-folder.ts';

/** Shared by all passes of an agent. */
export interface PassParts {
  clock: Clock;
  ids: Ids;
  log: Log;
  /** The agent's own environment. */
  env: AgentEnvironment;
  /** Runs `.ts` and `.js`. */
  node: string;
  verbs: ReadonlyMap<string, Verb>;
  replay: Replay;
  spawner(runtime_dir: string): Promise<Spawner>;
  /** Folder that holds the verb client. */
  client(runtime_dir: string): Promise<string>;
  /** The SDKs that scripts can import. */
  sdks(agent: ActivityHost['agent']): Promise<SdkLinks>;
  isolation: Isolation;
  /** Undefined: every interpreter is started when its pass begins. */
  warm(place: WarmPlace): WarmInterpreters | undefined;
  /** Absent: scripts call the `svc` program. */
  in_shell: InShell | undefined;
  /** The grace period between SIGTERM and SIGKILL when a pass is stopped. */
  grace_ms: number;
}
