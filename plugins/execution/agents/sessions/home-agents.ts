import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../../../../kernel/contracts/index.ts';
import type { RunStore } from '../../../engine/runs/contract.ts';

const FILE = 'agents.json';
const ID = /^agt_\w+$/;

interface HomeAgentsDeps {
  /** Locked by this process, so no other process has agents in it. */
  folder: string;
  store: Pick<RunStore, 'releaseAllBut'>;
  log: Log;
}

/**
 * Remembers the agents inside the processes of one folder, only one of which exists at a time. The agents of the
 * previous process are known to be dead, so nobody has to wait for their leases to expire. Agents of other processes
 * and machines are not in the file.
 */
export class HomeAgents {
  readonly #deps: HomeAgentsDeps;
  readonly #file: string;
  readonly #current: string[] = [];
  #writing: Promise<void> = Promise.resolve();

  constructor(deps: HomeAgentsDeps) {
    this.#deps = deps;
    this.#file = join(deps.folder, FILE);
  }

  /**
   * Releases the claims of the previous process's agents. Their epochs are outdated, so whatever still arrives from
   * them is refused.
   */
  async releaseFormer(): Promise<void> {
    const { store, log } = this.#deps;
    let released = 0;
    for (const agent_id of await this.#readFormer()) released += await store.releaseAllBut(agent_id, []);
    if (released > 0)
      log.info({ taken_back: released }, "the previous process's agents have ended; their work starts again");
  }

  /** Called before an agent of this process can claim anything. */
  async remember(agent_id: string): Promise<void> {
    if (this.#current.includes(agent_id)) return;
    this.#current.push(agent_id);
    this.#writing = this.#writing.then(() => this.#write());
    await this.#writing;
  }

  /** A list that cannot be read blocks nothing; the work then waits for the leases of its agents. */
  async #readFormer(): Promise<string[]> {
    try {
      return readIds(await readFile(this.#file, 'utf8'));
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT')
        this.#deps.log.warn(
          { file: this.#file, reason: message },
          "cannot read the list of the previous process's agents",
        );
      return [];
    }
  }

  /** Written atomically, because the process may be killed meanwhile. */
  async #write(): Promise<void> {
    const draft = `${this.#file}.${randomUUID()}`;
    try {
      await writeFile(draft, JSON.stringify(this.#current), { mode: 0o600, flag: 'wx' });
      await rename(draft, this.#file);
    } finally {
      await rm(draft, { force: true });
    }
  }
}

/** Throws when the text is not a list of ids. */
function readIds(text: string): string[] {
  const ids: unknown = JSON.parse(text);
  if (Array.isArray(ids) && ids.every((id) => typeof id === 'string' && ID.test(id))) return ids;
  throw new Error('it is not a list of agents');
}
