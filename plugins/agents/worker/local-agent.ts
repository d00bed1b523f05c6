import { arch, platform } from 'node:os';
import type { Clock, Ids, Log, ServiceError, Settings } from '../../../kernel/contracts/index.ts';
import type { Maskers } from '../../masking/contract.ts';
import type { Agent, AgentLink, AgentSessions, AgentStatus, Executor, FileSender } from '../contract.ts';
import { MemoryLink } from './memory-link.ts';
import { makeRuntimeDir, removeRuntimeDir, sweepRuntimeDirs } from './runtime-dir.ts';
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
  /** Used only in a process that also runs the server. */
  sessions(): AgentSessions;
}

const BUILTIN = { token_id: 'builtin', org_id: undefined };

/** The agent of this process, from reading its settings to removing its folder. */
export class LocalAgent implements Agent {
  readonly #parts: LocalAgentParts;
  readonly #settings: WorkerSettings;
  #worker: Worker | undefined;
  #runtime_dir: string | undefined;

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
    const tmp = settings.env.TMPDIR;
    await sweepRuntimeDirs(tmp, clock, log);
    this.#runtime_dir = await makeRuntimeDir(tmp);
    this.#worker = new Worker({
      link: this.#link(),
      executors: this.#parts.executors(),
      files: this.#parts.file_sender(),
      maskers: this.#parts.maskers,
      settings: this.#settings,
      runtime_dir: this.#runtime_dir,
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
    if (this.#runtime_dir === undefined) return;
    // The next agent on this machine tries again.
    await removeRuntimeDir(this.#runtime_dir).catch((error: Error) => {
      this.#parts.log.warn(
        { folder: this.#runtime_dir, reason: error.message },
        'removing the folder of the agent failed',
      );
    });
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
