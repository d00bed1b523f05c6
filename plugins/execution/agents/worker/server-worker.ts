import { arch, hostname, platform } from 'node:os';
import type { LocalAgentDeps } from './local-agent.ts';
import { MemoryLink } from './memory-link.ts';
import { readServerSettings, type WorkerSettings } from './settings.ts';
import { Worker } from './worker.ts';

const IDENTITY = { token_id: 'server', org_id: undefined, unlisted: true } as const;

/** Runs the activities of in-process executors in the server itself, so that they need no agent. */
export class ServerWorker {
  readonly #deps: LocalAgentDeps;
  readonly #settings: WorkerSettings | undefined;
  #worker: Worker | undefined;
  /** Set in the phase `start`, which also registers the stop. A server without background work never sets it. */
  #allowed = false;

  /** Throws `agent_setting_invalid`. */
  constructor(deps: LocalAgentDeps) {
    this.#deps = deps;
    this.#settings = readServerSettings(deps.settings, `server ${hostname()}`);
  }

  /** False with `SVC_SERVER_HTTP=off`; agents then run everything. */
  get isEnabled(): boolean {
    return this.#settings !== undefined;
  }

  allow(): void {
    this.#allowed = true;
  }

  async start(): Promise<void> {
    const { settings, clock, ids, log, maskers } = this.#deps;
    const executors = this.#deps.executors().filter(({ inProcess }) => inProcess);
    if (!this.#allowed || this.#settings === undefined || executors.length === 0) return;
    this.#worker = new Worker({
      link: new MemoryLink(this.#deps.sessions(), IDENTITY),
      executors,
      files: this.#deps.file_sender(),
      settings: this.#settings,
      runtime_dir: '',
      version: settings.version,
      machine: { os: platform(), arch: arch(), pid: process.pid },
      clock,
      ids,
      log,
      maskers,
    });
    await this.#worker.start();
  }

  async stop(): Promise<void> {
    await this.#worker?.stop();
  }
}
