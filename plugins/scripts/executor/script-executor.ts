import type { Clock, Ids, Log } from '../../../kernel/contracts/index.ts';
import type { ActivityHost, Assignment, Executor } from '../../agents/contract.ts';
import type { Replay } from '../../replay/contract.ts';
import type { Verb } from '../contract.ts';
import { type AgentEnvironment, agentPath } from '../domain/environment.ts';
import { findProgram, KNOWN_INTERPRETERS } from '../domain/interpreter.ts';
import { Isolation } from '../isolation/isolation.ts';
import { openSpawner, type Spawner } from '../native/spawner.ts';
import { InShell } from '../shell/in-shell.ts';
import { WarmInterpreters, type WarmPlace } from '../warm/warm-interpreters.ts';
import { installSdks, type SdkLinks } from './sdk-folder.ts';
import type { PassParts } from './pass-parts.ts';
import { ScriptPass } from './script-pass.ts';
import { VerbClients } from './verb-clients.ts';

export interface ExecutorParts {
  clock: Clock;
  ids: Ids;
  log: Log;
  env: AgentEnvironment;
  /** Path of the Node.js that runs `.ts` and `.js` scripts. */
  node: string;
  /** The full CLI: program and first arguments. */
  cli: readonly string[];
  verbs: () => readonly Verb[];
  replay: Replay;
  /** Shared with other executors of the agent; absent: its own. */
  isolation?: Isolation;
  grace_ms: number;
  /** False: bash calls the `svc` program. By default bash answers calls inside the shell where it can. */
  in_shell?: boolean;
  /** False: every interpreter is started when its pass begins. By default some wait for theirs. */
  warm?: boolean;
  /** Shared with other executors of the agent; absent: its own. */
  clients?: VerbClients;
  /** True requires the native programs, false the Node ones; the default is the native ones when available. */
  native?: boolean;
}

/** Runs activities of the executor `script`. */
export function createScriptExecutor(parts: ExecutorParts): Executor & { close(): Promise<void> } {
  const isolation = parts.isolation ?? new Isolation(parts);
  const passes = new PassFactory({ ...parts, isolation });
  return {
    executor: 'script',
    capabilities: () => capabilities(parts),
    isolation: () => isolation.fault(),
    start: (assignment, host) => passes.start(assignment, host),
    drain: () => passes.drain(),
    close: () => passes.close(),
  };
}

async function capabilities(parts: ExecutorParts): Promise<string[]> {
  const path = agentPath(parts.env);
  const found = await Promise.all(
    KNOWN_INTERPRETERS.map(async (name) => ((await findProgram(name, path, '/')) === undefined ? [] : [name])),
  );
  // The Node.js of the agent runs `.js` and `.ts`, so it is always available.
  return ['node', ...found.flat()];
}

type FactoryParts = ExecutorParts & { isolation: Isolation };

/** Opens the spawner and the verb client at the first pass: an agent without scripts needs neither. */
class PassFactory {
  readonly #parts: FactoryParts;
  #spawner: Promise<Spawner> | undefined;
  readonly #clients: VerbClients;
  #sdks: Promise<SdkLinks> | undefined;
  #warm: WarmInterpreters | undefined;
  #drained: Promise<void> | undefined;
  #draining = false;
  #pass: PassParts | undefined;

  constructor(parts: FactoryParts) {
    this.#parts = parts;
    this.#clients = parts.clients ?? new VerbClients(parts);
  }

  start(assignment: Assignment, host: ActivityHost): ScriptPass {
    this.#pass ??= this.#share();
    return new ScriptPass(this.#pass, assignment, host);
  }

  /** What waits for passes goes; those that run stay. */
  async drain(): Promise<void> {
    this.#draining = true;
    this.#drained ??= this.#warm?.close();
    await this.#drained;
  }

  async close(): Promise<void> {
    await this.drain();
    const opened = this.#spawner;
    this.#spawner = undefined;
    const spawner = await opened?.catch(() => undefined);
    await spawner?.close();
  }

  #share(): PassParts {
    const { clock, ids, log, env, node, grace_ms, replay, isolation } = this.#parts;
    const verbs = new Map(this.#parts.verbs().map((verb) => [verb.verb, verb]));
    const [verb = ''] = verbs.keys();
    return {
      clock,
      ids,
      log,
      env,
      node,
      grace_ms,
      verbs,
      replay,
      isolation,
      in_shell: this.#parts.in_shell === false ? undefined : new InShell({ verb, log }),
      warm: (place) => this.#openWarm(place),
      spawner: (runtime_dir) => this.#openSpawner(runtime_dir),
      sdks: (agent) => this.#installSdks(agent),
      client: (runtime_dir) => this.#clients.folder(runtime_dir),
    };
  }

  #openSpawner(runtime_dir: string): Promise<Spawner> {
    this.#spawner ??= openSpawner({ runtime_dir, native: this.#parts.native }).catch((error) => {
      // The next pass tries again: the cause may be fixed by then.
      this.#spawner = undefined;
      throw error;
    });
    return this.#spawner;
  }

  /** Without the native spawner an interpreter cannot be reached while it waits. */
  #openWarm(place: WarmPlace): WarmInterpreters | undefined {
    if (this.#parts.warm === false || this.#draining || !place.spawner.native) return undefined;
    this.#warm ??= new WarmInterpreters(this.#parts, place);
    return this.#warm;
  }

  #installSdks({ runtime_dir, memory_dir }: ActivityHost['agent']): Promise<SdkLinks> {
    this.#sdks ??= installSdks(runtime_dir, memory_dir).catch((error) => {
      this.#sdks = undefined;
      throw error;
    });
    return this.#sdks;
  }
}
