import { arch, hostname, platform } from 'node:os';
import type { LocalAgentParts } from './local-agent.ts';
import { MemoryLink } from './memory-link.ts';
import { readServerSettings, type WorkerSettings } from './settings.ts';
import { Worker } from './worker.ts';

const IDENTITY = { token_id: 'server', org_id: undefined, unlisted: true } as const;

/** Carries out activities of light executors in the server itself, so that they need no agent. */
export class ServerWorker {
  readonly #parts: LocalAgentParts;
  readonly #settings: WorkerSettings | undefined;
  #worker: Worker | undefined;
  /** Set in the phase `start`, which also registers the stop. A server without background work has none. */
  #allowed = false;

  /** Throws `agent_setting_invalid`. */
  constructor(parts: LocalAgentParts) {
    this.#parts = parts;
    this.#settings = readServerSettings(parts.settings, `server ${hostname()}`);
  }

  /** False after `SVC_SERVER_HTTP=off`: agents carry out everything. */
  get wanted(): boolean {
    return this.#settings !== undefined;
  }

  allow(): void {
    this.#allowed = true;
  }

  async start(): Promise<void> {
    const { settings, clock, ids, log, maskers } = this.#parts;
    const executors = this.#parts.executors().filter(({ light }) => light);
    if (!this.#allowed || this.#settings === undefined || executors.length === 0) return;
    this.#worker = new Worker({
      link: new MemoryLink(this.#parts.sessions(), IDENTITY),
      executors,
      files: this.#parts.file_sender(),
      settings: this.#settings,
      runtime_dir: '',
      version: settings.version,
      machine: { os: platform(), arch: arch(), pid: process.pid },
      ...{ clock, ids, log, maskers },
    });
    await this.#worker.start();
  }

  async stop(): Promise<void> {
    await this.#worker?.stop();
  }
}
