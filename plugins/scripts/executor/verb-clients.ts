import type { Verb } from '../contract.ts';
import { verbClient } from '../native/verb-client.ts';

export interface ClientParts {
  verbs: () => readonly Verb[];
  /** The full CLI: program and first arguments. */
  cli: readonly string[];
  /** True requires the native client, false the Node one; the default is the native one when available. */
  native?: boolean;
}

/** The verb client of an agent: made once, at the first program that needs it. */
export class VerbClients {
  readonly #parts: ClientParts;
  #client: Promise<string> | undefined;

  constructor(parts: ClientParts) {
    this.#parts = parts;
  }

  /** The folder that holds it. */
  folder(runtime_dir: string): Promise<string> {
    const { cli, native } = this.#parts;
    const verbs = this.#parts.verbs().map(({ verb }) => verb);
    this.#client ??= verbClient(runtime_dir, { verbs, cli: [...cli], native }).catch((error) => {
      // The next program tries again: the cause may be fixed by then.
      this.#client = undefined;
      throw error;
    });
    return this.#client;
  }
}
