import { validateWithSuggestions, type Validator } from '../../../platform/schema/contract.ts';
import { BoundedMap } from '../../../../kernel/contracts/index.ts';
import type { ChangingNodeTypes } from '../../../engine/flows/contract.ts';
import type { GraphNodeType } from '../contract.ts';
import { orExpression } from './or-expression.ts';

/** More than a server's connectors have; an evicted type is compiled again. */
const MAX_COMPILED = 10_000;

/** A type of node with the compiled schema of its config. */
export interface CompiledNodeType extends GraphNodeType {
  validateConfig: Validator;
}

/** The node types of this process, some of which can change. A schema is compiled when its type is first used. */
export class NodeTypeCatalog {
  readonly #types: ReadonlyMap<string, GraphNodeType>;
  readonly #changing: readonly ChangingNodeTypes[];
  /** Compiled types and what they were compiled from, which a change replaces. */
  readonly #compiled = new BoundedMap<string, { declared: GraphNodeType; compiled: CompiledNodeType }>(MAX_COMPILED);

  #seen: readonly unknown[] = [];
  #revision = 0;

  constructor(types: readonly GraphNodeType[], changing: readonly ChangingNodeTypes[] = []) {
    this.#types = new Map(types.map((one) => [one.type, one]));
    this.#changing = changing;
  }

  find(type: string): CompiledNodeType | undefined {
    const declared = this.#types.get(type) ?? this.#findChanging(type);
    if (!declared) return undefined;
    const cached = this.#compiled.get(type);
    if (cached?.declared === declared) return cached.compiled;
    const compiled: CompiledNodeType = {
      ...declared,
      validateConfig: validateWithSuggestions(closedSchema(declared.config)),
    };
    this.#compiled.set(type, { declared, compiled });
    return compiled;
  }

  /** A number that is another one after each change of the types. */
  revision(): number {
    const now = this.#changing.map((source) => source.graphNodes());
    if (now.some((types, index) => types !== this.#seen[index])) {
      this.#seen = now;
      this.#revision += 1;
    }
    return this.#revision;
  }

  #findChanging(type: string): GraphNodeType | undefined {
    for (const source of this.#changing) {
      const declared = source.graphNodes().get(type);
      if (declared) return declared;
    }
    return undefined;
  }

  /** All types, those that can change last. */
  list(): GraphNodeType[] {
    return [...this.#types.values(), ...this.#changing.flatMap((source) => [...source.graphNodes().values()])];
  }

  names(): string[] {
    return this.list().map(({ type }) => type);
  }
}

const closedSchema = (schema: GraphNodeType['config']) => orExpression({ additionalProperties: false, ...schema });
