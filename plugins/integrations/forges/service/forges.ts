import { Errors, type Expressions } from '../../../../kernel/contracts/index.ts';
import type { Connector } from '../../manifests/contract.ts';
import { type Forge, readForge } from '../domain/forge.ts';

/** The forges of this process. They are read once at start and never change. */
export class Forges {
  readonly #byName = new Map<string, Forge>();

  /**
   * Reads every manifest with a forge section, and compiles the rules of those that do not come with svc. Throws
   * `connector_invalid`.
   */
  load(connectors: readonly Connector[], expressions: Expressions): void {
    for (const { manifest, builtin } of connectors) {
      const forge = readForge(manifest, expressions, builtin);
      if (forge) this.#byName.set(forge.name, forge);
    }
  }

  find(name: string): Forge | undefined {
    return this.#byName.get(name);
  }

  /** Returns the only forge that has a host of its own. */
  findDefault(): Forge | undefined {
    const [one, another] = [...this.#byName.values()].filter(({ section }) => section.api?.base !== undefined);
    return another ? undefined : one;
  }

  /** Throws `invalid_request` and names the known forges. */
  get(name: string): Forge {
    const forge = this.find(name);
    if (forge) return forge;
    const message = `must be a connector that describes a forge: ${[...this.#byName.keys()].join(', ')}`;
    throw Errors.invalidRequest(`forge ${message}`, { errors: [{ pointer: '/forge', message }] });
  }
}
