import { arch, platform } from 'node:os';
import type { Clock, Ids, Log, ServiceError, Settings } from '../../../kernel/contracts/index.ts';
import type { Maskers } from '../../masking/contract.ts';
import {
  type Agent,
  type AgentLink,
  type AgentSessions,
  type AgentStatus,
  type ContentCarrier,
  type Executor,
  type FileSender,
  makeRuntimeDir,
  memoryParent,
  removeRuntimeDir,
  sweepRuntimeDirs,
} from '../contract.ts';
import { MemoryLink } from './memory-link.ts';
import { rootNotice } from './isolation.ts';
import { readChannelTarget, readWorkerSettings, type WorkerSettings } from './settings.ts';
import { SocketLink } from './socket-link.ts';
import { Worker } from './worker.ts';

export interface LocalAgentParts {
  settings: Settings;
  clock: Clock;
  ids: Ids;
  log: Log;
  maskers: Maskers;
  executors(): readonly Executor[];
  file_sender(): FileSender | undefined;
  content_carrier(): ContentCarrier | undefined;
  /** Used only in a process that also runs the server. */
  sessions(): AgentSessions;
}

const BUILTIN = { token_id: 'builtin', org_id: undefined };

/** The agent of this process, from reading its settings to removing its folder. */
export class LocalAgent implements Agent {
  readonly #parts: LocalAgentParts;
  readonly #settings: WorkerSettings;
  #worker: Worker | undefined;
  /** Its own, to be removed. */
  readonly #folders: string[] = [];

  /** Throws `agent_setting_invalid` or `agent_token_missing`. */
  constructor(parts: LocalAgentParts) {
    this.#parts = parts;
    this.#settings = readWorkerSettings(parts.settings);
    if (parts.settings.role === 'agent') readChannelTarget(parts.settings);
  }

  /** False for `svc dev --no-agent`. */
  get wanted(): boolean {
    return this.#parts.settings.env.SVC_BUILTIN_AGENT !== 'off' || this.#parts.settings.role === 'agent';
  }

  status(): AgentStatus {
    const idle = { agent_id: undefined, connected: false, draining: false, busy: 0, capabilities: [] };
    return this.#worker?.status() ?? { ...idle, name: this.#settings.name, slots: this.#settings.slots };
  }

  /**
   * Rejects when the server refuses this agent permanently. A server that cannot be reached is tried until it answers.
   */
  async start(): Promise<void> {
    if (!this.wanted) return;
    const { settings, clock, ids, log } = this.#parts;
    const notice = rootNotice(settings.role, this.#settings);
    if (notice !== undefined) log.warn({}, notice);
    const runtime_dir = await this.#makeFolder(settings.env.TMPDIR);
    const memory = await memoryParent(settings.env);
    const memory_dir = memory === undefined ? undefined : await this.#makeFolder(memory);
    this.#worker = new Worker({
      link: this.#link(),
      executors: this.#parts.executors(),
      files: this.#parts.file_sender(),
      contents: this.#parts.content_carrier(),
      maskers: this.#parts.maskers,
      settings: this.#settings,
      runtime_dir,
      memory_dir,
      org_wide_refused: settings.role === 'agent',
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
        this.#parts.log.warn({ folder, reason: error.message }, 'removing the folder of the agent failed');
      });
  }

  async #makeFolder(parent: string | undefined): Promise<string> {
    const { clock, log } = this.#parts;
    await sweepRuntimeDirs(parent, clock, log);
    const folder = await makeRuntimeDir(parent);
    this.#folders.push(folder);
    return folder;
  }

  #link(): AgentLink {
    const { settings, clock, ids, log } = this.#parts;
    if (settings.role !== 'agent') return new MemoryLink(this.#parts.sessions(), BUILTIN);
    const refused = (error: ServiceError) => {
      log.error(
        { code: error.code, reason: error.message, next: error.next },
        'the server refuses this agent; the agent stops',
      );
      // Nobody awaits a connection that fails later, so the exception ends the process.
      queueMicrotask(() => {
        throw error;
      });
    };
    return new SocketLink({ ...readChannelTarget(settings), clock, ids, log, refused });
  }
}
