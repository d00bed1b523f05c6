import type { Clock, Ids, Log } from '../../../../kernel/contracts/index.ts';
import type { ActivityHost, Assignment, Executor } from '../../agents/contract.ts';
import { READS_INPUTS } from '../../../engine/runs/contract.ts';
import type { Replay } from '../../replay/contract.ts';
import type { Verb } from '../contract.ts';
import { type AgentEnvironment, agentPath } from '../domain/environment.ts';
import { findProgram, DETECTED_INTERPRETERS } from '../domain/interpreter.ts';
import { Isolation } from '../isolation/isolation.ts';
import { openSpawner, type Spawner } from '../native/spawner.ts';
import { ShellBuiltin } from '../shell/in-shell.ts';
import { WarmInterpreters, type WarmContext } from '../warm/warm-interpreters.ts';
import { installSdks, type SdkLinks } from './sdk-folder.ts';
import type { PassDeps } from './pass-deps.ts';
import { ScriptPass } from './script-pass.ts';
import { VerbClients } from './verb-clients.ts';

export interface ExecutorDeps {
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
  /** Shared with other executors of the agent; created if left out. */
  isolation?: Isolation;
  grace_ms: number;
  /** False makes bash call the `svc` program. By default bash handles calls inside the shell where possible. */
  in_shell?: boolean;
  /** False starts every interpreter when its pass begins. By default some wait for their passes. */
  warm?: boolean;
  /** Shared with other executors of the agent; created if left out. */
  clients?: VerbClients;
  /** True requires the native programs, false the Node ones; by default the native ones are used if available. */
  native?: boolean;
}

/** Runs activities of the executor `script`. */
export function createScriptExecutor(deps: ExecutorDeps): Executor & { close(): Promise<void> } {
  const isolation = deps.isolation ?? new Isolation(deps);
  const passes = new PassFactory({ ...deps, isolation });
  return {
    executor: 'script',
    capabilities: () => capabilities(deps),
    isolation: () => isolation.findProblem(),
    start: (assignment, host) => passes.start(assignment, host),
    drain: () => passes.drain(),
    close: () => passes.close(),
  };
}

async function capabilities(deps: ExecutorDeps): Promise<string[]> {
  const path = agentPath(deps.env);
  const found = await Promise.all(
    DETECTED_INTERPRETERS.map(async (name) => ((await findProgram(name, path, '/')) === undefined ? [] : [name])),
  );
  // The agent's own Node.js runs `.js` and `.ts`, so it is always available.
  return [READS_INPUTS, 'node', ...found.flat()];
}

type FactoryDeps = ExecutorDeps & { isolation: Isolation };

/** Opens the spawner and the verb client at the first pass, because an agent without scripts needs neither. */
class PassFactory {
  readonly #deps: FactoryDeps;
  #spawner: Promise<Spawner> | undefined;
  readonly #clients: VerbClients;
  #sdks: Promise<SdkLinks> | undefined;
  #warm: WarmInterpreters | undefined;
  #drain_promise: Promise<void> | undefined;
  #draining = false;
  #pass_deps: PassDeps | undefined;

  constructor(deps: FactoryDeps) {
    this.#deps = deps;
    this.#clients = deps.clients ?? new VerbClients(deps);
  }

  start(assignment: Assignment, host: ActivityHost): ScriptPass {
    this.#pass_deps ??= this.#createPassDeps();
    return new ScriptPass(this.#pass_deps, assignment, host);
  }

  /** Ends the processes that wait for passes; running passes continue. */
  async drain(): Promise<void> {
    this.#draining = true;
    this.#drain_promise ??= this.#warm?.close();
    await this.#drain_promise;
  }

  async close(): Promise<void> {
    await this.drain();
    const opened = this.#spawner;
    this.#spawner = undefined;
    const spawner = await opened?.catch(() => undefined);
    await spawner?.close();
  }

  #createPassDeps(): PassDeps {
    const { clock, ids, log, env, node, grace_ms, replay, isolation } = this.#deps;
    const verbs = new Map(this.#deps.verbs().map((verb) => [verb.verb, verb]));
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
      in_shell: this.#deps.in_shell === false ? undefined : new ShellBuiltin({ verb, log }),
      warm: (context) => this.#openWarmInterpreters(context),
      spawner: (runtime_dir) => this.#openSpawner(runtime_dir),
      sdks: (agent) => this.#installSdks(agent),
      client: (runtime_dir) => this.#clients.folder(runtime_dir),
    };
  }

  #openSpawner(runtime_dir: string): Promise<Spawner> {
    this.#spawner ??= openSpawner({ runtime_dir, native: this.#deps.native }).catch((error) => {
      // The next pass tries again, because the cause may be fixed by then.
      this.#spawner = undefined;
      throw error;
    });
    return this.#spawner;
  }

  /** Without the native spawner, a waiting interpreter cannot be reached. */
  #openWarmInterpreters(place: WarmContext): WarmInterpreters | undefined {
    if (this.#deps.warm === false || this.#draining || !place.spawner.native) return undefined;
    this.#warm ??= new WarmInterpreters(this.#deps, place);
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
