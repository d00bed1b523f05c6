import { faultsBy, type Validator } from '../../schema/contract.ts';
import type { GraphNodeType } from '../contract.ts';
import { orExpression } from './or-expression.ts';

/** A type of node with the compiled schema of its config. */
export interface KnownType extends GraphNodeType {
  schemaFaults: Validator;
}

/** The node types of this process. A schema is compiled when its type is first used. */
export class KnownTypes {
  readonly #types: ReadonlyMap<string, GraphNodeType>;
  readonly #known = new Map<string, KnownType>();

  constructor(types: readonly GraphNodeType[]) {
    this.#types = new Map(types.map((one) => [one.type, one]));
  }

  find(type: string): KnownType | undefined {
    const known = this.#known.get(type);
    if (known) return known;
    const found = this.#types.get(type);
    if (!found) return undefined;
    const made: KnownType = { ...found, schemaFaults: faultsBy(closed(found.config)) };
    this.#known.set(type, made);
    return made;
  }

  names(): string[] {
    return [...this.#types.keys()];
  }
}

const closed = (schema: GraphNodeType['config']) => orExpression({ additionalProperties: false, ...schema });
