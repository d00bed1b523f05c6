import {
  type Expression,
  type Expressions,
  isServiceError,
  MAX_UNITS_TOGETHER,
  type Sealer,
  type ServiceError,
} from '../../../../kernel/contracts/index.ts';
import type { Activities, Json } from '../../runs/contract.ts';
import type { ExpressionContext, FlowLanguage, RunValues } from '../contract.ts';
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
  values: readonly RunValues[];
  activities: () => Pick<Activities, 'ends' | 'outputBytes' | 'record'>;
}

const TOO_MUCH_TOGETHER = 'the earlier expressions of this node take too much work';

/** Throws `flow_expression_failed` and names the expression. */
export type Evaluate = (text: string) => Json;

export interface Evaluator {
  evaluate: Evaluate;
  scope: Readonly<Record<string, unknown>>;
}

/** Values of a flow's expressions in one transaction. */
export class Evaluation {
  readonly #deps: EvaluationDeps;
  readonly #memory: FlowMemory;
  readonly #results: Results;
  readonly #onWork: (units: number) => void;
  #envelope: ExpressionContext['envelope'] | undefined;
  #values: ExpressionContext['values'] | undefined;

  /** `onWork` is told the units that expressions take. */
  constructor(deps: EvaluationDeps, memory: FlowMemory, onWork: (units: number) => void) {
    this.#deps = deps;
    this.#onWork = onWork;
    this.#memory = memory;
    this.#results = new Results(memory, deps.sealer, deps.activities);
  }

  /**
   * Creates an evaluator over the current results of these nodes, and over an item if `at` is one. Its expressions have a
   * budget together, because a config may contain thousands of them.
   */
  async createEvaluator(reads: Reads, at?: { n: number; item: number }): Promise<Evaluator> {
    const nodes = await this.#results.readResults(reads);
    this.#envelope ??= await this.#memory.run.envelope();
    this.#values ??= await this.#readValues();
    const { run_id, org_id, project_id, subject, trigger } = this.#memory.run;
    const { constants } = this.#memory.flow.header;
    const item =
      at === undefined || at.item === NODE_ITEM
        ? {}
        : { item: await this.#memory.readItem(at.n, at.item), index: at.item };
    const run = { run_id, org_id, project_id, subject, trigger };
    const language = this.#language();
    const envelope = this.#envelope;
    const values = this.#values;
    const { result: scope } = this.#measure(() => language.scope({ run, envelope, constants, values, nodes, ...item }));
    let used_units = 0;
    const evaluate = (text: string): Json => {
      if (used_units > MAX_UNITS_TOGETHER) throw expressionFailed(`${text.slice(0, 200)}: ${TOO_MUCH_TOGETHER}`);
      const { result, units } = this.#measure(() => this.#evaluate(text, language, scope));
      used_units += units;
      return result;
    };
    return { evaluate, scope };
  }

  async #readValues(): Promise<ExpressionContext['values']> {
    const { tx, run } = this.#memory;
    const values: Record<string, Readonly<Record<string, Json>>> = {};
    for (const source of this.#deps.values) values[source.name] = await source.read(tx, run);
    return values;
  }

  #measure<T>(work: () => T): { result: T; units: number } {
    const { expressions } = this.#deps;
    const before = expressions.units();
    try {
      const result = work();
      return { result, units: expressions.units() - before };
    } finally {
      this.#onWork(expressions.units() - before);
    }
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

  /** The items that the language makes from the config of a fan-out. */
  items(config: Json, evaluate: Evaluate): readonly Json[] {
    const language = this.#language();
    if (language.items) return language.items(config, evaluate);
    throw nodeUnknown(`the language ${language.name} has no fan-outs with a config`);
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
    if (!registered) throw nodeUnknown(`no plugin provides the language ${language}`);
    return registered;
  }
}
