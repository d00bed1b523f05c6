import {
  type Expression,
  type Expressions,
  isServiceError,
  type Sealer,
  type ServiceError,
} from '../../../../kernel/contracts/index.ts';
import type { Json } from '../../runs/contract.ts';
import type { ExpressionContext, FlowLanguage } from '../contract.ts';
import { NODE_ITEM } from '../domain/decide.ts';
import type { Reads } from '../domain/plan.ts';
import { expressionFailed, nodeUnknown, outputTooLarge } from '../errors.ts';
import { MAX_OUTPUT_BYTES } from '../store/node-rows.ts';
import type { FlowMemory } from './flow-memory.ts';
import { Results } from './results.ts';

export interface EvaluationDeps {
  sealer: Sealer;
  expressions: Expressions;
  languages: ReadonlyMap<string, FlowLanguage>;
}

/** Throws `flow_expression_failed` and names the expression. */
export type Evaluate = (text: string) => Json;

/** Values of a flow's expressions in one transaction. */
export class Evaluation {
  readonly #deps: EvaluationDeps;
  readonly #memory: FlowMemory;
  readonly #results: Results;
  #envelope: ExpressionContext['envelope'] | undefined;

  constructor(deps: EvaluationDeps, memory: FlowMemory) {
    this.#deps = deps;
    this.#memory = memory;
    this.#results = new Results(memory, deps.sealer);
  }

  /** Creates an evaluator over the current results of these nodes, and over an item if `at` is one. */
  async createEvaluator(reads: Reads, at?: { n: number; item: number }): Promise<Evaluate> {
    const nodes = await this.#results.readResults(reads);
    this.#envelope ??= await this.#memory.run.envelope();
    const { run_id, org_id, project_id, subject, trigger } = this.#memory.run;
    const { constants } = this.#memory.flow.header;
    const item =
      at === undefined || at.item === NODE_ITEM
        ? {}
        : { item: await this.#memory.readItem(at.n, at.item), index: at.item };
    const run = { run_id, org_id, project_id, subject, trigger };
    const language = this.#language();
    const scope = language.scope({ run, envelope: this.#envelope, constants, nodes, ...item });
    return (text) => this.#evaluate(text, language, scope);
  }

  /** Throws `flow_output_too_large`: a short config may name a large output many times. */
  render(config: Json, evaluate: Evaluate): Json {
    const language = this.#language();
    if (!language.render) return config;
    let bytes = 0;
    return language.render(config, (text) => {
      const value = evaluate(text);
      bytes += Buffer.byteLength(JSON.stringify(value ?? null));
      if (bytes <= MAX_OUTPUT_BYTES) return value;
      throw outputTooLarge(`the values in the config have more than ${MAX_OUTPUT_BYTES} bytes of JSON`);
    });
  }

  #evaluate(text: string, language: FlowLanguage, scope: Readonly<Record<string, unknown>>): Json {
    const toError = (reason: string) => expressionFailed(`${text.slice(0, 200)}: ${reason}`);
    const result = this.#compile(text, language, toError).evaluate(scope);
    if (!result.ok) throw toError(result.reason);
    return result.value as Json;
  }

  #compile(text: string, { roots }: FlowLanguage, toError: (reason: string) => ServiceError): Expression {
    try {
      return this.#deps.expressions.compile(text, roots);
    } catch (error) {
      if (isServiceError(error, 'expression_invalid')) throw toError(error.message);
      throw error;
    }
  }

  #language(): FlowLanguage {
    const { language } = this.#memory.flow;
    const registered = this.#deps.languages.get(language);
    if (!registered) throw nodeUnknown(`there is no language ${language}`);
    return registered;
  }
}
