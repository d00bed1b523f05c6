import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../../../kernel/contracts/index.ts';
import type { RunStore } from '../../runs/contract.ts';

const FILE = 'agents.json';
const ID = /^agt_\w+$/;

interface HomeAgentsParts {
  /** Locked by this process, so that no other process has agents in it. */
  folder: string;
  store: Pick<RunStore, 'releaseAllBut'>;
  log: Log;
}

/**
 * The agents within the processes of one folder, of which one has them at a time: those of a process before are known to be dead, and
 * nobody has to wait for the end of their leases. Agents of other processes and machines are not in the file.
 */
export class HomeAgents {
  readonly #parts: HomeAgentsParts;
  readonly #file: string;
  readonly #own: string[] = [];
  #writing: Promise<void> = Promise.resolve();

  constructor(parts: HomeAgentsParts) {
    this.#parts = parts;
    this.#file = join(parts.folder, FILE);
  }

  /** Sets free what the agents of the process before held. Their claims have older epochs: whatever comes of them is refused. */
  async takeBack(): Promise<void> {
    const { store, log } = this.#parts;
    let taken_back = 0;
    for (const agent_id of await this.#former()) taken_back += await store.releaseAllBut(agent_id, []);
    if (taken_back > 0) log.info({ taken_back }, 'the agents of the process before are dead; their work begins again');
  }

  /** Called before an agent of this process can claim anything. */
  async note(agent_id: string): Promise<void> {
    if (this.#own.includes(agent_id)) return;
    this.#own.push(agent_id);
    this.#writing = this.#writing.then(() => this.#write());
    await this.#writing;
  }

  /** A list that cannot be read holds up nothing: the work then waits for the leases of its agents. */
  async #former(): Promise<string[]> {
    try {
      return readIds(await readFile(this.#file, 'utf8'));
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT')
        this.#parts.log.warn({ file: this.#file, reason: message }, 'the former agents are not known');
      return [];
    }
  }

  /** Whole or not at all: the process may be killed meanwhile. */
  async #write(): Promise<void> {
    const draft = `${this.#file}.${randomUUID()}`;
    try {
      await writeFile(draft, JSON.stringify(this.#own), { mode: 0o600, flag: 'wx' });
      await rename(draft, this.#file);
    } finally {
      await rm(draft, { force: true });
    }
  }
}

/** Throws when the text is no list of ids. */
function readIds(text: string): string[] {
  const ids: unknown = JSON.parse(text);
  if (Array.isArray(ids) && ids.every((one) => typeof one === 'string' && ID.test(one))) return ids;
  throw new Error('it is no list of agents');
}
