import type { Verb } from '../contract.ts';
import { verbClient } from '../native/verb-client.ts';

export interface ClientDeps {
  verbs: () => readonly Verb[];
  /** The full CLI: program and first arguments. */
  cli: readonly string[];
  /** True requires the native client, false the Node one; the default is the native one when available. */
  native?: boolean;
}

/** The verb client of an agent, created once, for the first program that needs it. */
export class VerbClients {
  readonly #deps: ClientDeps;
  #client: Promise<string> | undefined;

  constructor(deps: ClientDeps) {
    this.#deps = deps;
  }

  /** Returns the folder that contains the verb client. */
  folder(runtime_dir: string): Promise<string> {
    const { cli, native } = this.#deps;
    const verbs = this.#deps.verbs().map(({ verb }) => verb);
    this.#client ??= verbClient(runtime_dir, { verbs, cli: [...cli], native }).catch((error) => {
      // The next program tries again, because the cause may be fixed by then.
      this.#client = undefined;
      throw error;
    });
    return this.#client;
  }
}
