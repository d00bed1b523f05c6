import { validateWithSuggestions, type Validator } from '../../../platform/schema/contract.ts';
import type { GraphNodeType } from '../contract.ts';
import { orExpression } from './or-expression.ts';

/** A type of node with the compiled schema of its config. */
export interface CompiledNodeType extends GraphNodeType {
  validateConfig: Validator;
}

/** The node types of this process. A schema is compiled when its type is first used. */
export class NodeTypeCatalog {
  readonly #types: ReadonlyMap<string, GraphNodeType>;
  readonly #compiled = new Map<string, CompiledNodeType>();

  constructor(types: readonly GraphNodeType[]) {
    this.#types = new Map(types.map((one) => [one.type, one]));
  }

  find(type: string): CompiledNodeType | undefined {
    const cached = this.#compiled.get(type);
    if (cached) return cached;
    const declared = this.#types.get(type);
    if (!declared) return undefined;
    const compiled: CompiledNodeType = {
      ...declared,
      validateConfig: validateWithSuggestions(closedSchema(declared.config)),
    };
    this.#compiled.set(type, compiled);
    return compiled;
  }

  names(): string[] {
    return [...this.#types.keys()];
  }
}

const closedSchema = (schema: GraphNodeType['config']) => orExpression({ additionalProperties: false, ...schema });
