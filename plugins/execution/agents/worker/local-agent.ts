import { arch, platform } from 'node:os';
import type { Clock, Ids, Log, ServiceError, Settings } from '../../../../kernel/contracts/index.ts';
import type { Maskers } from '../../../security/masking/contract.ts';
import {
  type Agent,
  type AgentLink,
  type AgentSessions,
  type AgentStatus,
  type ContentTransfer,
  type Executor,
  type FileSender,
  makeRuntimeDir,
  findMemoryFolder,
  removeRuntimeDir,
  sweepRuntimeDirs,
  type TokenSource,
} from '../contract.ts';
import { MemoryLink } from './memory-link.ts';
import { rootNotice } from './isolation.ts';
import { readChannelTarget, readWorkerSettings, type WorkerSettings } from './settings.ts';
import { SocketLink } from './socket-link.ts';
import { Worker } from './worker.ts';

export interface LocalAgentDeps {
  settings: Settings;
  clock: Clock;
  ids: Ids;
  log: Log;
  maskers: Maskers;
  executors(): readonly Executor[];
  file_sender(): FileSender | undefined;
  content_transfer(): ContentTransfer | undefined;
  token_source(): TokenSource | undefined;
  /** Used only in a process that also runs the server. */
  sessions(): AgentSessions;
}

const BUILTIN = { token_id: 'builtin', org_id: undefined };

/** The agent of this process, from reading its settings to removing its folder. */
export class LocalAgent implements Agent {
  readonly #deps: LocalAgentDeps;
  readonly #settings: WorkerSettings;
  #worker: Worker | undefined;
  /** Folders of its own, to be removed at stop. */
  readonly #folders: string[] = [];

  /** Throws `agent_setting_invalid` or `agent_token_missing`. */
  constructor(deps: LocalAgentDeps) {
    this.#deps = deps;
    this.#settings = readWorkerSettings(deps.settings);
    if (deps.settings.role === 'agent') readChannelTarget(deps.settings);
  }

  /** False for `svc dev --no-agent`. */
  get isEnabled(): boolean {
    return this.#deps.settings.env.SVC_BUILTIN_AGENT !== 'off' || this.#deps.settings.role === 'agent';
  }

  status(): AgentStatus {
    const idle = { agent_id: undefined, connected: false, draining: false, busy: 0, capabilities: [] };
    return this.#worker?.status() ?? { ...idle, name: this.#settings.name, slots: this.#settings.slots };
  }

  /**
   * Rejects when the server refuses this agent permanently. It keeps trying to reach a server that does not respond.
   */
  async start(): Promise<void> {
    if (!this.isEnabled) return;
    const { settings, clock, ids, log } = this.#deps;
    const notice = rootNotice(settings.role, this.#settings);
    if (notice !== undefined) log.warn({}, notice);
    const runtime_dir = await this.#makeFolder(settings.env.TMPDIR);
    const memory = await findMemoryFolder(settings.env);
    const memory_dir = memory === undefined ? undefined : await this.#makeFolder(memory);
    this.#worker = new Worker({
      link: this.#link(),
      executors: this.#deps.executors(),
      files: this.#deps.file_sender(),
      contents: this.#deps.content_transfer(),
      tokens: this.#deps.token_source(),
      maskers: this.#deps.maskers,
      settings: this.#settings,
      runtime_dir,
      memory_dir,
      root_needs_project: settings.role === 'agent',
      version: settings.version,
      machine: { os: platform(), arch: arch(), pid: process.pid },
      clock,
      ids,
      log,
    });
    await this.#worker.start();
  }

  async stop(): Promise<void> {
    await this.#worker?.stop();
    // The next agent on this machine tries again.
    for (const folder of this.#folders.splice(0))
      await removeRuntimeDir(folder).catch((error: Error) => {
        this.#deps.log.warn({ folder, reason: error.message }, 'removing the folder of the agent failed');
      });
  }

  async #makeFolder(parent: string | undefined): Promise<string> {
    const { clock, log } = this.#deps;
    await sweepRuntimeDirs(parent, clock, log);
    const folder = await makeRuntimeDir(parent);
    this.#folders.push(folder);
    return folder;
  }

  #link(): AgentLink {
    const { settings, clock, ids, log } = this.#deps;
    if (settings.role !== 'agent') return new MemoryLink(this.#deps.sessions(), BUILTIN);
    const onRefused = (error: ServiceError) => {
      log.error(
        { code: error.code, reason: error.message, next: error.next },
        'the server rejects this agent; the agent stops',
      );
      // Nobody awaits a connection that fails later, so the exception ends the process.
      queueMicrotask(() => {
        throw error;
      });
    };
    return new SocketLink({ ...readChannelTarget(settings), clock, ids, log, onRefused });
  }
}
